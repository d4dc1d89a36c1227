package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.IndexJson;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Plan;
import org.shardmend.storage.SmallFiles;
import org.shardmend.storage.Store;

/** The side files that name tensors, and so must change with them: the indexes. */
final class SideFileChanges {
  private static final int MAX_INDEX_BYTES = 1 << 28;

  private SideFileChanges() {}

  /**
   * The changed content of every index of a checkpoint.
   *
   * @param store where the source is
   * @throws JobException REFUSED when an index can't be understood
   */
  static List<SideFileChange> of(PlannedCheckpoint planned, Store store)
      throws JobException, IOException {
    List<SideFileChange> changes = new ArrayList<>();
    for (SideFile file : planned.checkpoint().sideFiles()) {
      if (file.role() == SideFile.Role.INDEX) {
        String path = planned.location().child(file.name()).path();
        byte[] json = SmallFiles.read(store, path, MAX_INDEX_BYTES);
        try {
          IndexJson index = IndexJson.read(json, file.name());
          changes.add(new SideFileChange(file.name(), rewritten(index, planned.plan())));
        } catch (CheckpointException e) {
          throw JobException.of(e);
        }
      }
    }
    return changes;
  }

  private static byte[] rewritten(IndexJson index, Plan plan) {
    Map<Entry, Decision> changes = new HashMap<>();
    plan.changes().forEach(c -> changes.put(new Entry(c.tensor(), c.shard()), c));
    long newTotal = newTotal(index.totalSize(), plan);
    return index.rewritten(
        tensor -> {
          Decision change = changes.get(new Entry(tensor, index.weightMap().get(tensor)));
          if (change == null) {
            return Optional.of(tensor);
          }
          return switch (change.action()) {
            case KEEP, REFUSE -> Optional.of(tensor);
            case RENAME -> Optional.of(change.target());
            case DROP -> Optional.empty();
          };
        },
        newTotal);
  }

  /** The total shrinks by what is dropped. */
  private static long newTotal(OptionalLong total, Plan plan) {
    long dropped =
        plan.shards().stream()
            .mapToLong(
                shard ->
                    (shard.shard().bytes() - shard.headerBytes())
                        - (shard.targetBytes() - shard.targetHeaderBytes()))
            .sum();
    return total.orElse(dropped) - dropped;
  }

  private record Entry(String tensor, String shard) {}
}
