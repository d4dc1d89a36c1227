package org.shardmend.plan;

import java.io.Serializable;
import java.util.OptionalLong;
import org.shardmend.checkpoint.UnitId;

/**
 * What reading the tensors of a {@link Comparison} has shown.
 *
 * @param unit the load unit
 * @param target the comparison's target
 * @param firstDifference the first byte, relative to the tensors' starts, in which they differ; −1
 *     when they are equal
 * @param differingTensor the tensor in which it differs from the first one; empty when equal
 */
public record ComparisonResult(
    UnitId unit, String target, long firstDifference, String differingTensor)
    implements Serializable {

  /** The result that all tensors are equal, byte for byte. */
  public static ComparisonResult equal(Comparison comparison) {
    return new ComparisonResult(comparison.unit(), comparison.target(), -1, "");
  }

  /** The result that {@code tensor} differs from the first one, {@code offset} bytes in. */
  public static ComparisonResult different(Comparison comparison, String tensor, long offset) {
    return new ComparisonResult(comparison.unit(), comparison.target(), offset, tensor);
  }

  /** Whether this is the result of {@code comparison}. */
  boolean isOf(Comparison comparison) {
    return target.equals(comparison.target()) && unit.equals(comparison.unit());
  }

  /** The first differing byte, relative to the tensors' starts; empty when they are equal. */
  public OptionalLong difference() {
    return firstDifference < 0 ? OptionalLong.empty() : OptionalLong.of(firstDifference);
  }
}
