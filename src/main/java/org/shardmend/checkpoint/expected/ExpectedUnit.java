package org.shardmend.checkpoint.expected;

import java.io.Serializable;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.TensorEntry;

/**
 * What the loader of one rank expects, or the loaders of many.
 *
 * @param ranks whose loader; a rank that is absent means every one
 * @param tensors what is expected, by name
 */
public record ExpectedUnit(UnitId ranks, Map<String, ExpectedTensor> tensors)
    implements Serializable {

  /** Keeps the tensors' order. */
  public ExpectedUnit {
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
  }

  /**
   * What a loader expects whose checkpoint has these tensors: the state of a healthy checkpoint, to
   * compare others of the same shape with.
   */
  public static ExpectedUnit of(UnitId unit, Collection<TensorEntry> tensors) {
    Map<String, ExpectedTensor> expected = new LinkedHashMap<>();
    tensors.forEach(
        tensor -> expected.put(tensor.name(), ExpectedTensor.of(tensor.dtype(), tensor.shape())));
    return new ExpectedUnit(unit, expected);
  }

  /** Whether it speaks of that unit. */
  boolean speaksOf(UnitId unit) {
    return ranks.includes(unit);
  }

  /** Whether there is a rank that both speak of. */
  boolean overlaps(ExpectedUnit other) {
    return overlap(ranks.pp(), other.ranks.pp()) && overlap(ranks.tp(), other.ranks.tp());
  }

  private static boolean overlap(int rank, int other) {
    return rank == other || rank == UnitId.ABSENT || other == UnitId.ABSENT;
  }
}
