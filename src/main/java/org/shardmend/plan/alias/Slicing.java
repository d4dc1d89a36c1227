package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.Optional;
import org.shardmend.safetensors.Shape;

/**
 * How a tensor is divided among ranks: in equal parts along one dimension. In the whole one, the
 * parts take turns in runs of bytes: rank 0's, rank 1's and so on, and again from rank 0.
 *
 * @param parts how many
 * @param runBytes length of a run, in bytes
 */
public record Slicing(int parts, long runBytes) implements Serializable {
  private static final int MOST_PARTS = 1024;

  /**
   * How parts of one shape come from a whole; empty where more than one dimension differs, or not
   * by a whole number of parts: then the tensor was padded, fused or stacked, or is another one.
   *
   * @param wholeBytes the length of the whole one, in bytes
   */
  public static Optional<Slicing> of(Shape part, Shape whole, long wholeBytes) {
    if (part.rank() != whole.rank() || wholeBytes == 0) {
      return Optional.empty();
    }
    int cut = -1;
    long before = 1;
    for (int i = 0; i < whole.rank(); i++) {
      if (part.dimension(i) != whole.dimension(i)) {
        if (cut >= 0) {
          return Optional.empty();
        }
        cut = i;
      } else if (cut < 0) {
        before *= whole.dimension(i);
      }
    }
    if (cut < 0 || part.dimension(cut) == 0 || whole.dimension(cut) % part.dimension(cut) != 0) {
      return Optional.empty();
    }
    long parts = whole.dimension(cut) / part.dimension(cut);
    return parts <= MOST_PARTS && wholeBytes % (before * parts) == 0
        ? Optional.of(new Slicing((int) parts, wholeBytes / (before * parts)))
        : Optional.empty();
  }
}
