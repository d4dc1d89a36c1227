package org.shardmend.job.repair;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.Attempts;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.plan.StrategyChoice;
import org.shardmend.storage.CloneUnsupportedException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Staging;

/**
 * Makes the tasks of an output's shards: finds out what its file system can do, and asks {@link
 * StrategyChoice}.
 */
final class OutputTasks {
  private static final int PROBE_NUMBER = Integer.MAX_VALUE;

  private final StrategyChoice choice;
  private final boolean isForced;

  /**
   * The choice for one repair. Whether the file system clones is tried once, on the smallest shard.
   *
   * @throws JobException USAGE when the forced strategy makes no output
   */
  OutputTasks(
      RepairRequest request,
      PlannedCheckpoint planned,
      CheckpointAccess source,
      Location output,
      Store store,
      Staging staging)
      throws JobException, IOException {
    boolean sameStore = source.location().sameStore(output);
    Optional<Strategy> forced = request.strategy();
    if (forced.isPresent() && forced.get() == Strategy.PATCH) {
      throw JobException.usage(
          "strategy-impossible",
          "PATCH changes the checkpoint itself, so it needs --in-place; with --output there are"
              + " clone, link and copy");
    }
    boolean needed = forced.isEmpty() || forced.get() == Strategy.CLONE;
    boolean clones =
        needed && sameStore && store.traits().clones() && canClone(planned, source, store, staging);
    if (forced.equals(Optional.of(Strategy.CLONE)) && !clones) {
      throw JobException.failed(
          "strategy-impossible",
          "%s can't be a clone of %s: that needs one file system with copy-on-write clones (XFS with reflink, Btrfs and the like); use --strategy copy"
              .formatted(output, planned.location()),
          null);
    }
    boolean linked = request.linksUnchanged() || forced.equals(Optional.of(Strategy.LINK));
    if (linked && !(sameStore && store.traits().hardLinks())) {
      throw JobException.usage(
          "strategy-impossible",
          "%s can't hold links to shards of %s: both must be on one mounted file system; leave out --link-unchanged and --strategy link, and they are copied"
              .formatted(output, planned.location()));
    }
    this.isForced = forced.isPresent();
    this.choice =
        isForced
            ? StrategyChoice.toOutputBy(forced.get())
            : StrategyChoice.toOutput(clones, request.linksUnchanged());
  }

  private static boolean canClone(
      PlannedCheckpoint planned, CheckpointAccess source, Store store, Staging staging)
      throws IOException {
    Optional<ShardPlan> smallest =
        planned.plan().shards().stream()
            .min(Comparator.comparingLong(shard -> shard.shard().bytes()));
    if (smallest.isEmpty()) {
      return false;
    }
    String probe = staging.workPath(PROBE_NUMBER, Attempts.next());
    try {
      store.cloneFile(store.realPath(source.path(smallest.get().name())), probe);
      store.delete(probe);
      return true;
    } catch (CloneUnsupportedException e) {
      return false;
    }
  }

  /**
   * The task for one shard.
   *
   * @param hosts that hold the shard
   * @throws JobException USAGE when the forced strategy can't make this shard
   */
  RewriteTask.Task task(NumberedShard shard, List<String> hosts) throws JobException {
    Optional<Strategy> strategy = choice.of(shard.plan());
    if (strategy.isEmpty()) {
      throw impossible(shard.plan().name());
    }
    return new RewriteTask.Task(shard, strategy.get(), isForced, hosts);
  }

  private JobException impossible(String shard) {
    String reason =
        choice.preferred().contains(Strategy.LINK)
            ? "%s can't be a link, because its header changes; --link-unchanged links the others"
            : "%s can't be a patched clone: its new header does not fit, or a tensor is dropped; use --strategy auto";
    return JobException.usage("strategy-impossible", reason.formatted(shard));
  }
}
