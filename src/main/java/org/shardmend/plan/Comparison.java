package org.shardmend.plan;

import java.io.Serializable;
import java.util.List;
import org.shardmend.checkpoint.UnitId;

/**
 * Names of one load unit that would become one name, and are alike in type and shape: whether they
 * are one tensor is for their bytes to say.
 *
 * @param unit the load unit
 * @param target the name that one of them has or will get
 * @param tensors at least two; the first is the one that stays
 */
public record Comparison(UnitId unit, String target, List<NamedTensor> tensors)
    implements Serializable {

  /** A copy of the list, so that the value can't change. */
  public Comparison {
    tensors = List.copyOf(tensors);
  }

  /** Bytes that a comparison reads. */
  public long bytes() {
    return tensors.stream().mapToLong(NamedTensor::bytes).sum();
  }
}
