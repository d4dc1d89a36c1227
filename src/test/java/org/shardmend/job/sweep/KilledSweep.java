package org.shardmend.job.sweep;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.Actions;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.testing.SelfKill;

/** A process of its own that sweeps a tree in place and kills itself at a chosen step. */
final class KilledSweep {
  private KilledSweep() {}

  /** The sweep that is killed, and that is run again. */
  static SweepRequest request(Path root, Path audit) throws JobException {
    return new SweepRequest(
            List.of(Actions.location(root)),
            new PlanRequest(
                Actions.location(root),
                DiscoveryOptions.defaults(),
                RuleSources.defaultsAnd(List.of()),
                UnknownDtypes.REFUSE),
            Actions.location(audit))
        .settle(Duration.ZERO);
  }

  /**
   * Runs until it is killed.
   *
   * @param args the tree, the audit, how the step begins, and at which such step of all checkpoints
   *     it dies, from 1
   */
  public static void main(String[] args) throws Exception {
    System.setProperty("spark.master", "local[2]");
    int last = Integer.parseInt(args[3]);
    AtomicInteger reached = new AtomicInteger();
    SweepRequest request =
        request(Path.of(args[0]), Path.of(args[1]))
            .listener(
                step -> {
                  if (step.startsWith(args[2]) && reached.incrementAndGet() == last) {
                    SelfKill.now();
                  }
                });
    try (SparkJob job = SparkJob.start("killed sweep", Progress.SILENT)) {
      new SweepAction(job, request).execute();
    }
  }
}
