package org.shardmend.plan.contract;

import java.io.IOException;
import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
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
    if (checkpoint.checksums().isPresent()) {
      ChecksumJson checksums = checkpoint.checksums().get();
      Map<String, PreshardedFile> files = new HashMap<>();
      checksums.files().forEach(file -> files.put(file.filename(), file));
      List<LoadUnit> units = checkpoint.units();
      for (int rank = 0; rank < units.size(); rank++) {
        List<PreshardedRead> reads = checksums.reads().get(rank);
        names.put(units.get(rank).id(), ChecksumNames.of(checkpoint.directory(), reads, files));
      }
      return names;
    }
    UnitNames inHeaders = new HeaderNames(checkpoint.checks(), checkpoint.newFormat());
    checkpoint.units().forEach(unit -> names.put(unit.id(), inHeaders));
    return names;
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
