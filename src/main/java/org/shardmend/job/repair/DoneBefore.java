package org.shardmend.job.repair;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.Shard;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.Planner;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.ShardPlan;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.ManifestShard;
import org.shardmend.storage.publish.SourceState;

/** Recognises the finished result of the very repair that is asked for. */
final class DoneBefore {
  private DoneBefore() {}

  /**
   * Whether {@code output} is what this repair made, of the source as it is now, and still is what
   * it made: by what {@code shardmend.json} says, and the sizes and headers of all its shards.
   *
   * @param store the output's
   * @param arguments everything the user said that changes the result, as canonical text
   */
  static boolean look(
      SparkJob job,
      RepairRequest request,
      PlannedCheckpoint planned,
      String arguments,
      Location output,
      Store store)
      throws JobException, IOException {
    Optional<Manifest> manifest = Manifest.read(store, output.path());
    if (manifest.isEmpty() || !isOfThis(manifest.get(), planned, arguments)) {
      return false;
    }
    Set<String> linked = linked(planned, output, store);
    String state =
        SourceState.digest(planned.checkpoint().shards(), planned.checkpoint().sideFiles(), linked);
    return manifest.get().sourceState().equals(state)
        && manifest.get().matches(present(job, request, output));
  }

  private static boolean isOfThis(Manifest manifest, PlannedCheckpoint planned, String arguments) {
    return manifest.source().equals(planned.location().toString())
        && manifest.fingerprint().equals(planned.plan().fingerprint())
        && manifest.arguments().equals(arguments);
  }

  /** The shards that are the same files in source and output. */
  private static Set<String> linked(PlannedCheckpoint planned, Location output, Store store)
      throws IOException {
    Set<String> linked = new HashSet<>();
    if (!planned.location().sameStore(output) || !store.traits().hardLinks()) {
      return linked;
    }
    for (Shard shard : planned.checkpoint().shards()) {
      Optional<FileStatus> there = store.stat(output.child(shard.name()).path());
      if (there.isPresent()
          && there.get().links() > 1
          && there.get().fileKey().equals(shard.stamp().key())) {
        linked.add(shard.name());
      }
    }
    return linked;
  }

  /** What is in the output now; nothing where it is no checkpoint any more. */
  private static List<ManifestShard> present(SparkJob job, RepairRequest request, Location output)
      throws JobException {
    try {
      return new Planner(job, request.plan().at(output))
          .plan().plan().shards().stream().map(DoneBefore::present).toList();
    } catch (JobException notReadable) {
      if (notReadable.kind() == JobException.Kind.FAILED) {
        throw notReadable;
      }
      return List.of();
    }
  }

  private static ManifestShard present(ShardPlan shard) {
    return new ManifestShard(
        shard.name(), shard.shard().bytes(), shard.headerDigest(), ManifestShard.NOT_READ);
  }
}
