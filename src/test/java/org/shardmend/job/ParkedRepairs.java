package org.shardmend.job;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.files.Locations;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * A process of its own whose repairs all stop in the middle, each at another step, and wait there:
 * killing it kills every one of them where it stands.
 */
final class ParkedRepairs {
  /** Stops when the first shard has its receipt and others are being written. */
  static final String IN_THE_REWRITE = "in the rewrite";

  /** Slow enough for a shard of 100 kB to take its time. */
  private static final long BYTES_PER_SECOND = 100_000;

  private ParkedRepairs() {}

  /**
   * One repair.
   *
   * @param step where it stops: a step of the publish, or {@link #IN_THE_REWRITE}
   * @param audit a directory for the audit; empty for the default
   */
  record Stop(Path source, Path output, String step, String audit) {
    String toLine() {
      return String.join("\t", source.toString(), output.toString(), step, audit);
    }

    static Stop parse(String line) {
      String[] parts = line.split("\t", -1);
      return new Stop(Path.of(parts[0]), Path.of(parts[1]), parts[2], parts[3]);
    }

    /** The request that is stopped, and that continues it. */
    RepairRequest request() throws JobException {
      RepairRequest request =
          RepairRequest.toOutput(
              new PlanRequest(
                  Actions.location(source),
                  DiscoveryOptions.defaults(),
                  RuleSources.defaultsAnd(List.of()),
                  UnknownDtypes.REFUSE),
              Actions.location(output));
      if (!audit.isEmpty()) {
        request.audit(Locations.parse(audit, new Configuration()));
      }
      return request;
    }
  }

  /**
   * Runs until it is killed.
   *
   * @param args a file with a line a {@link Stop}, and the file to make when all have stopped
   */
  public static void main(String[] args) throws Exception {
    List<Stop> stops = Files.readAllLines(Path.of(args[0])).stream().map(Stop::parse).toList();
    List<Stop> last = stops.stream().filter(stop -> stop.step().equals(IN_THE_REWRITE)).toList();
    List<Stop> first = stops.stream().filter(stop -> !last.contains(stop)).toList();
    System.setProperty("spark.master", "local[2]");
    park(first);
    // These hold the task slots while they are slow.
    park(last);
    Files.createFile(Path.of(args[1]));
    TimeUnit.HOURS.sleep(1);
  }

  private static void park(List<Stop> stops) throws Exception {
    CountDownLatch parked = new CountDownLatch(stops.size());
    for (Stop stop : stops) {
      Thread repair = new Thread(() -> run(stop, parked), stop.step());
      repair.setDaemon(true);
      repair.start();
    }
    parked.await();
  }

  private static void run(Stop stop, CountDownLatch parked) {
    try {
      RepairRequest request = stop.request();
      Progress progress = Progress.SILENT;
      if (stop.step().equals(IN_THE_REWRITE)) {
        request.maxBytesPerSecond(BYTES_PER_SECOND);
        progress = new ParkedProgress(stop.output(), parked);
      } else {
        request.listener(
            step -> {
              if (step.equals(stop.step())) {
                park(parked);
              }
            });
      }
      new RepairAction(SparkJob.start("parked repairs", progress), request).execute();
      System.err.println(stop + " was not stopped");
    } catch (JobException e) {
      System.err.println(stop + " failed: " + e);
    }
  }

  private static void park(CountDownLatch parked) {
    parked.countDown();
    try {
      TimeUnit.HOURS.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("This process should be dead");
  }

  private static final class ParkedProgress extends DeafProgress {
    private final Path output;
    private final CountDownLatch parked;

    ParkedProgress(Path output, CountDownLatch parked) {
      this.output = output;
      this.parked = parked;
    }

    @Override
    public void update(long doneBytes) {
      if (hasReceipt()) {
        park(parked);
      }
    }

    private boolean hasReceipt() {
      try (Stream<Path> below = Files.walk(output.getParent())) {
        return below.anyMatch(path -> path.toString().matches(".*/receipts/[0-9]+\\.json"));
      } catch (IOException | java.io.UncheckedIOException changing) {
        return false;
      }
    }
  }
}
