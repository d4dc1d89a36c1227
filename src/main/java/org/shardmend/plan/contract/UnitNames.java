package org.shardmend.plan.contract;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.CheckpointLayout;
import org.shardmend.checkpoint.layout.SideFileNames;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.UnitPlan;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Where the names of a load unit's tensors stand: in its shards' headers, or in a side file.
 * Travels to executors with the unit.
 */
public sealed interface UnitNames extends Serializable permits HeaderNames, ChecksumNames {

  /** How each load unit of a checkpoint comes to its names. */
  static SortedMap<UnitId, UnitNames> of(Checkpoint checkpoint) {
    SortedMap<UnitId, UnitNames> names = new TreeMap<>();
    Places places = new Places(checkpoint.checks());
    for (LoadUnit unit : checkpoint.units()) {
      names.put(unit.id(), checkpoint.layout().names(unit.id(), places));
    }
    return names;
  }

  /** Reads names where the layout says that they stand. */
  record Places(List<UnitCheck> checks) implements CheckpointLayout.NamePlaces<UnitNames> {
    @Override
    public UnitNames inHeaders(String newFormat) {
      return new HeaderNames(checks, newFormat);
    }

    @Override
    public UnitNames inSideFile(SideFileNames names) {
      return new ChecksumNames(names);
    }
  }

  /** What makes it impossible to tell the names: where shards and side file contradict. */
  List<Finding> problems(List<ScannedShard> shards);

  /**
   * What a user should know of the shards and the side file.
   *
   * @param reads for what is told by a tensor's value
   * @throws IOException if a value can't be read
   */
  List<Finding> findings(List<ScannedShard> shards, SmallReads reads) throws IOException;

  /**
   * The tensors as the unit's loader sees them.
   *
   * @param shards the unit's shards, without {@link #problems}; where one is left out, its tensors
   *     are
   */
  List<NamedTensor> tensors(List<ScannedShard> shards);

  /**
   * Plans the unit.
   *
   * @param shards the unit's shards, without {@link #problems}
   * @throws SafetensorsException if a changed header would not be valid
   */
  UnitPlan plan(UnitId unit, List<ScannedShard> shards, RuleSet rules, UnknownDtypes dtypes)
      throws SafetensorsException;
}
