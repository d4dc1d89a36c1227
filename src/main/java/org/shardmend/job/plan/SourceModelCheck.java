package org.shardmend.job.plan;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.expected.SourceModel;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.MeteredFiles;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;

/**
 * Holds a plan to the original model that the checkpoint was made from. Here, without executors.
 */
final class SourceModelCheck {
  private SourceModelCheck() {}

  /**
   * What the model makes doubtful: new names that it does not know, and a checkpoint of a size that
   * it can't have given.
   *
   * @param location the model's directory
   * @throws JobException USAGE when there is no model, REFUSED when it is malformed, FAILED when it
   *     can't be read
   */
  static List<Finding> findings(SparkJob job, PlannedCheckpoint planned, Location location)
      throws JobException {
    SourceModel model = read(job, new CheckpointAccess(location, job.hadoop()));
    List<String> produced =
        planned
            .plan()
            .changes()
            .filter(change -> change.action() == Action.RENAME)
            .map(Decision::target)
            .distinct()
            .sorted()
            .toList();
    long bytes =
        planned.plan().shards().stream()
            .mapToLong(shard -> shard.shard().bytes() - shard.headerBytes())
            .sum();
    List<Finding> findings = new ArrayList<>();
    model.unknown(produced).ifPresent(findings::add);
    model.bytes(bytes, ranksPerStage(planned.checkpoint())).ifPresent(findings::add);
    return findings;
  }

  private static SourceModel read(SparkJob job, CheckpointAccess access) throws JobException {
    try (Store store = access.open()) {
      return SourceModel.read(
          new MeteredFiles(new StoreCheckpointFiles(store, access.location()), job::countRead));
    } catch (CheckpointException e) {
      throw JobException.of(e);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  private static int ranksPerStage(Checkpoint checkpoint) {
    Map<Integer, Long> ranks =
        checkpoint.units().stream()
            .collect(Collectors.groupingBy(unit -> unit.id().stage(), Collectors.counting()));
    return Math.toIntExact(ranks.values().stream().mapToLong(Long::longValue).max().orElse(1));
  }
}
