package org.shardmend.job.repair;

import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.ByteSize;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.TargetLock;

/** What both ways to repair say and count alike. */
public final class RepairChecks {
  private RepairChecks() {}

  /**
   * Requires a plan that decides on every tensor.
   *
   * @throws JobException REFUSED otherwise, with every tensor that can't be decided
   */
  public static void requireDecided(PlannedCheckpoint planned) throws JobException {
    if (planned.plan().refused()) {
      List<Finding> refusals = planned.plan().refusals().map(RepairChecks::finding).toList();
      throw JobException.refused("contradiction", planned.location(), refusals);
    }
  }

  private static Finding finding(Decision refusal) {
    return new Finding(
        "refused-tensor",
        Severity.ERROR,
        refusal.shard(),
        OneLine.of(
            "%s, %s: '%s': %s"
                .formatted(
                    refusal.unit().label(), refusal.shard(), refusal.tensor(), refusal.reason())));
  }

  /**
   * Requires that what is going to be written fits, by space and quota, as far as the store says.
   *
   * @param path where it is going to be written, in {@code store}
   * @param needed bytes
   * @throws JobException FAILED otherwise, with what is needed and what is free
   */
  static void requireSpace(Store store, String path, long needed, Location target)
      throws JobException, IOException {
    OptionalLong free = store.freeBytes(path);
    if (free.isPresent() && free.getAsLong() < needed) {
      throw JobException.failed(
          "no-space",
          "%s needs %s (%d bytes) for this repair, and %s (%d bytes) are free. Nothing was written; make room, or choose another place, then run again."
              .formatted(
                  target,
                  ByteSize.format(needed),
                  needed,
                  ByteSize.format(free.getAsLong()),
                  free.getAsLong()),
          null);
    }
  }

  /**
   * Holds what is going to change against other runs, and says when a dead one held it.
   *
   * @param path the lock's, in {@code store}
   * @param breaksLock whether whoever holds it loses it
   */
  static TargetLock lock(
      Store store, String path, RunRecord run, boolean breaksLock, Progress progress)
      throws IOException {
    if (breaksLock) {
      TargetLock.breakLock(store, path);
    }
    TargetLock lock = TargetLock.acquire(store, path, run.id().value());
    lock.predecessor()
        .ifPresent(
            holder -> progress.message("Took over the lock of a run that is gone: " + holder));
    return lock;
  }

  /** How many shards came by each strategy. */
  static Map<Strategy, Integer> strategies(Stream<Strategy> shards) {
    Map<Strategy, Integer> counts = new EnumMap<>(Strategy.class);
    shards.forEach(strategy -> counts.merge(strategy, 1, Integer::sum));
    return counts;
  }
}
