package org.shardmend.plan.contract;

import java.io.Serializable;
import java.util.List;
import java.util.SortedMap;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;

/**
 * A load unit, and where its tensors' names stand.
 *
 * @param unit the files
 * @param names the names
 */
public record NamedUnit(LoadUnit unit, UnitNames names) implements Serializable {

  /** All units of a checkpoint, in its order. */
  public static List<NamedUnit> of(Checkpoint checkpoint) {
    SortedMap<UnitId, UnitNames> names = UnitNames.of(checkpoint);
    return checkpoint.units().stream()
        .map(unit -> new NamedUnit(unit, names.get(unit.id())))
        .toList();
  }

  /** Whose files they are. */
  public UnitId id() {
    return unit.id();
  }
}
