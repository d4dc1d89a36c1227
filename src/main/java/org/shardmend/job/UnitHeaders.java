package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;

/**
 * The headers of one load unit. A malformed shard is not a failed task, which Spark would try again
 * for nothing, but a problem.
 *
 * @param shards the headers, in the order of the unit; without the malformed ones
 * @param problems what makes the unit unreadable for a loader, each an error
 */
record UnitHeaders(List<ScannedShard> shards, List<Finding> problems) {

  /** Reads each header of {@code unit} once. */
  static UnitHeaders read(CheckpointAccess access, LoadUnit unit, UnknownDtypes dtypes)
      throws IOException {
    List<ScannedShard> scanned = new ArrayList<>();
    List<Finding> problems = new ArrayList<>();
    try (Store store = access.open()) {
      CheckpointFiles files = new StoreCheckpointFiles(store, access.location());
      for (Shard shard : unit.shards()) {
        try {
          scanned.add(HeaderScan.read(files, unit.id(), shard, dtypes));
        } catch (CheckpointException e) {
          if (e.reason() != CheckpointException.Reason.REFUSED) {
            throw new ShardTaskException(e.code(), shard.name(), e.getMessage(), e);
          }
          problems.addAll(e.problems());
        }
      }
    }
    return new UnitHeaders(scanned, problems);
  }
}
