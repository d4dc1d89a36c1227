package org.shardmend.job.files;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.spark.broadcast.Broadcast;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Store;

/**
 * The headers of files that several load units read, each read once: the common files of a
 * presharded dump are of every rank. What the driver holds of them for that is no more than it
 * holds of checksum.json, which names every one of their tensors.
 */
public final class SharedHeaderStage implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final SharedHeaderStage NONE = new SharedHeaderStage(new ArrayList<>());

  /** At most one. */
  private final ArrayList<Broadcast<HashMap<String, ScannedShard>>> headers;

  private SharedHeaderStage(ArrayList<Broadcast<HashMap<String, ScannedShard>>> headers) {
    this.headers = headers;
  }

  /** A header, or none where the file is malformed: its units then say so. */
  private record Receipt(ArrayList<ScannedShard> scanned) implements Serializable {}

  /** No headers: each unit reads its own. */
  public static SharedHeaderStage none() {
    return NONE;
  }

  /**
   * Reads what several of {@code units} share; does nothing where nothing is shared.
   *
   * @throws JobException FAILED when a file can't be read
   */
  public static SharedHeaderStage read(
      SparkJob job, CheckpointAccess access, List<NamedUnit> units, UnknownDtypes dtypes)
      throws JobException {
    List<Shard> shared = shared(units);
    if (shared.isEmpty()) {
      return NONE;
    }
    HashMap<String, ScannedShard> byName = new HashMap<>();
    for (Receipt receipt :
        job.run(
            "Read headers that ranks share",
            0,
            shared,
            (shard, meter) -> scan(access, shard, dtypes, meter))) {
      receipt.scanned().forEach(scanned -> byName.put(scanned.shard().name(), scanned));
    }
    return new SharedHeaderStage(new ArrayList<>(List.of(job.spark().broadcast(byName))));
  }

  private static List<Shard> shared(List<NamedUnit> units) {
    Map<String, Shard> shared = new LinkedHashMap<>();
    Set<String> seen = new HashSet<>();
    for (NamedUnit unit : units) {
      for (Shard shard : unit.unit().shards()) {
        if (!seen.add(shard.name())) {
          shared.put(shard.name(), shard);
        }
      }
    }
    return List.copyOf(shared.values());
  }

  private static Receipt scan(
      CheckpointAccess access, Shard shard, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    ArrayList<ScannedShard> scanned = new ArrayList<>();
    try (Store store = access.open()) {
      ShardHeaders headers = new ShardHeaders(store, access, List.of(shard), dtypes, meter);
      headers.read(UnitId.NONE, shard).shard().ifPresent(scanned::add);
    }
    return new Receipt(scanned);
  }

  /** The header of a shard that was read already, for a unit that reads it. */
  Optional<ScannedShard> of(UnitId unit, Shard shard) {
    return headers.stream()
        .flatMap(broadcast -> Optional.ofNullable(broadcast.value().get(shard.name())).stream())
        .map(known -> new ScannedShard(unit, shard, known.header(), known.headerDigest()))
        .findFirst();
  }
}
