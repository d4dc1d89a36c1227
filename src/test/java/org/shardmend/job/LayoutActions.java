package org.shardmend.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.files.Locations;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Strategy;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.journal.JournalResult;

/** The actions on checkpoints of any layout in directories of this machine. */
public record LayoutActions(SparkJob job, List<RuleFamily> rules) {

  /** With the default rules and these, in the Spark application that lives as long as the JVM. */
  public static LayoutActions with(String... families) throws JobException {
    String before = System.getProperty("spark.master");
    System.setProperty("spark.master", "local[2]");
    try {
      return new LayoutActions(
          SparkJob.start("shardmend tests", Progress.SILENT),
          RuleSources.defaultsAnd(List.of(families)));
    } finally {
      if (before == null) {
        System.clearProperty("spark.master");
      } else {
        System.setProperty("spark.master", before);
      }
    }
  }

  public static Location location(Path directory) throws JobException {
    return Locations.parse(directory.toString(), new Configuration());
  }

  public PlanRequest of(Path checkpoint) throws JobException {
    return new PlanRequest(
        location(checkpoint), DiscoveryOptions.defaults(), rules, UnknownDtypes.REFUSE);
  }

  public PlannedCheckpoint plan(Path checkpoint) throws JobException {
    return new PlanAction(job, of(checkpoint)).execute();
  }

  public RepairResult repair(Path checkpoint, Path output, Strategy strategy) throws JobException {
    return new RepairAction(
            job,
            RepairRequest.toOutput(of(checkpoint), location(output))
                .strategy(strategy)
                .verify(RepairRequest.Verify.FULL))
        .execute();
  }

  /** A copy, whatever the file system can do. */
  RepairResult repair(Path checkpoint, Path output, RepairRequest.Verify depth)
      throws JobException {
    return new RepairAction(
            job,
            RepairRequest.toOutput(of(checkpoint), location(output))
                .strategy(Strategy.COPY)
                .verify(depth))
        .execute();
  }

  public RepairResult repairInPlace(Path checkpoint) throws JobException {
    return new RepairAction(job, RepairRequest.inPlace(of(checkpoint))).execute();
  }

  public JournalResult rollback(Path checkpoint) throws JobException {
    return new RollbackAction(location(checkpoint), false, Progress.SILENT).execute();
  }

  public VerifyResult verify(Path checkpoint) throws JobException {
    return new VerifyAction(job, new VerifyRequest(of(checkpoint), VerifyRequest.Depth.FULL))
        .execute();
  }

  VerifyResult verify(Path checkpoint, ExpectedState expected) throws JobException {
    return new VerifyAction(
            job, new VerifyRequest(of(checkpoint), VerifyRequest.Depth.HEADERS).expected(expected))
        .execute();
  }

  VerifyResult verifyAgainst(Path checkpoint, Path source) throws JobException {
    return new VerifyAction(
            job,
            new VerifyRequest(of(checkpoint), VerifyRequest.Depth.FULL).against(location(source)))
        .execute();
  }

  /** A copy of one of the sample checkpoints. */
  public static Path copyOfSample(String name, Path parent) throws IOException {
    Path sample;
    try {
      sample =
          Path.of(
              Objects.requireNonNull(LayoutActions.class.getResource("/samples/" + name), name)
                  .toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    Path copy = parent.resolve(name);
    try (Stream<Path> paths = Files.walk(sample)) {
      for (Path path : paths.toList()) {
        Files.copy(path, copy.resolve(sample.relativize(path).toString()));
      }
    }
    return copy;
  }

  /** Every file's content below a directory by its relative name, without what is Shardmend's. */
  public static Map<String, String> content(Path directory) throws IOException {
    Map<String, String> content = new TreeMap<>();
    try (Stream<Path> paths = Files.walk(directory)) {
      paths
          .filter(Files::isRegularFile)
          .filter(path -> !directory.relativize(path).startsWith(".shardmend"))
          .filter(path -> !path.getFileName().toString().equals("shardmend.json"))
          .forEach(path -> content.put(directory.relativize(path).toString(), digest(path)));
    }
    return content;
  }

  private static String digest(Path path) {
    try {
      return SourceHeader.digest(Files.readAllBytes(path));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
