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
import org.shardmend.storage.CloneUnsupportedException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Staging;

/**
 * Chooses how each shard of an output is made: the cheapest way that its plan and the file system
 * allow, or the one that the user forces.
 */
final class StrategyChoice {
  private static final int PROBE_NUMBER = Integer.MAX_VALUE;

  private final RepairRequest request;
  private final boolean clones;

  /**
   * The choice for one repair. Whether the file system clones is tried once, on the smallest shard.
   *
   * @throws JobException USAGE when the forced strategy makes no output
   */
  StrategyChoice(
      RepairRequest request,
      PlannedCheckpoint planned,
      CheckpointAccess source,
      Location output,
      Store store,
      Staging staging)
      throws JobException, IOException {
    this.request = request;
    boolean sameStore = source.location().sameStore(output);
    Optional<Strategy> forced = request.strategy();
    if (forced.isPresent() && forced.get() == Strategy.PATCH) {
      throw JobException.usage(
          "strategy-impossible",
          "PATCH changes the checkpoint itself, so it needs --in-place; with --output there are"
              + " clone, link and copy");
    }
    boolean needed = forced.isEmpty() || forced.get() == Strategy.CLONE;
    this.clones =
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
    ShardPlan plan = shard.plan();
    if (request.strategy().isPresent()) {
      Strategy forced = request.strategy().get();
      requirePossible(forced, plan);
      return new RewriteTask.Task(shard, forced, true, hosts);
    }
    if (plan.unchanged() && request.linksUnchanged()) {
      return new RewriteTask.Task(shard, Strategy.LINK, false, hosts);
    }
    boolean cloned = clones && plan.fitsInPlace();
    return new RewriteTask.Task(shard, cloned ? Strategy.CLONE : Strategy.COPY, false, hosts);
  }

  private static void requirePossible(Strategy forced, ShardPlan plan) throws JobException {
    if (forced == Strategy.LINK && !plan.unchanged()) {
      throw JobException.usage(
          "strategy-impossible",
          "%s can't be a link, because its header changes; --link-unchanged links the others"
              .formatted(plan.name()));
    }
    if (forced == Strategy.CLONE && !plan.fitsInPlace()) {
      throw JobException.usage(
          "strategy-impossible",
          "%s can't be a patched clone: its new header does not fit, or a tensor is dropped; use --strategy auto"
              .formatted(plan.name()));
    }
  }
}
