package org.shardmend.safetensors;

import java.io.Serializable;
import java.util.Arrays;

/**
 * A tensor's dimensions, outermost first. Each is at least 0; none at all is a scalar. Values up to
 * 2^64 − 1 occur in hostile headers: the codec refuses what does not fit into a {@code long}.
 */
public final class Shape implements Serializable {
  private static final long serialVersionUID = 1L;

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
    long product = 1;
    for (long dimension : dimensions) {
      product = Math.multiplyExact(product, dimension);
    }
    return product;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Shape shape && Arrays.equals(dimensions, shape.dimensions);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(dimensions);
  }

  /** As in the header: {@code [2, 64]}. */
  @Override
  public String toString() {
    return Arrays.toString(dimensions);
  }
}
