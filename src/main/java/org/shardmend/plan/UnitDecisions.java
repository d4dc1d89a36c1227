package org.shardmend.plan;

import java.util.List;
import org.shardmend.checkpoint.UnitId;

/**
 * The decisions on one load unit before bytes were compared.
 *
 * @param unit the load unit
 * @param changes every decision but KEEP, in the order of shard and tensor name; those that take
 *     part in an open comparison stand as they will if it finds equal bytes
 * @param open what must be compared before the decisions hold, in the order of their targets
 * @param tensors how many tensors the unit has, kept ones included
 */
public record UnitDecisions(
    UnitId unit, List<Decision> changes, List<Comparison> open, int tensors) {

  /** Copies the lists, so that the value can't change. */
  public UnitDecisions {
    changes = List.copyOf(changes);
    open = List.copyOf(open);
  }
}
