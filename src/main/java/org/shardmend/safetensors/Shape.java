package org.shardmend.safetensors;

import java.io.Serializable;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A tensor's dimensions, outermost first. Each is at least 0; none at all is a scalar. Values up to
 * 2^64 − 1 occur in hostile headers: the codec refuses what does not fit into a {@code long}.
 */
public final class Shape implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final int MAX_SHOWN = 16;

  private final long[] dimensions;

  private Shape(long[] dimensions) {
    this.dimensions = dimensions;
  }

  /**
   * A shape of these dimensions.
   *
   * @throws IllegalArgumentException if one is negative
   */
  public static Shape of(long... dimensions) {
    for (long dimension : dimensions) {
      if (dimension < 0) {
        throw new IllegalArgumentException("A dimension cannot be negative: " + dimension);
      }
    }
    return new Shape(dimensions.clone());
  }

  /**
   * A shape whose dimensions are unsigned, for the reader alone: a header that holds one of 2^63 or
   * more is refused before anyone sees it. Takes the array over.
   */
  static Shape ofUnsigned(long[] dimensions) {
    return new Shape(dimensions);
  }

  /** How many dimensions there are. */
  public int rank() {
    return dimensions.length;
  }

  /** The dimension at {@code index}, counted from the outermost. */
  public long dimension(int index) {
    return dimensions[index];
  }

  /** A copy of the dimensions. */
  public long[] toArray() {
    return dimensions.clone();
  }

  /**
   * The number of elements: the product of the dimensions, 1 for a scalar.
   *
   * @throws ArithmeticException if it does not fit into a {@code long}
   */
  public long elements() {
    long elements = unsignedBits(1);
    if (elements < 0) {
      throw new ArithmeticException("Beyond 63 bits: the number of elements of " + this);
    }
    return elements;
  }

  /**
   * The size in bits, as an unsigned number. Multiplied in the order of the reference reader, which
   * finds [2^63, 2, 0] too large, but not [0, 2^63, 2].
   *
   * @throws ArithmeticException if a product is beyond 64 bits
   */
  long unsignedBits(int bitsPerElement) {
    long product = 1;
    for (long dimension : dimensions) {
      product = multiplyUnsigned(product, dimension);
    }
    return multiplyUnsigned(product, bitsPerElement);
  }

  private long multiplyUnsigned(long left, long right) {
    if (left != 0 && Long.compareUnsigned(right, Long.divideUnsigned(-1L, left)) > 0) {
      throw new ArithmeticException("Beyond 64 bits: the size of " + this);
    }
    return left * right;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(dimensions, shape.dimensions);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dimensions);
  }

  /** As in the header: {@code [2, 64]}; of a long shape, the first dimensions and their number. */
  @Override
  public String toString() {
    String shown =
        Arrays.stream(dimensions)
            .limit(MAX_SHOWN)
            .mapToObj(Long::toUnsignedString)
            .collect(Collectors.joining(", "));
    return rank() <= MAX_SHOWN
        ? "[" + shown + "]"
        : "[" + shown + ", …] (" + rank() + " dimensions)";
  }
}
