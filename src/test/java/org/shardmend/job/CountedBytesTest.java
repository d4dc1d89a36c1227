package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Action;
import org.shardmend.plan.Cost;
import org.shardmend.plan.Plan;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/** What commands say that they read and write, and what a plan says that they will. */
@ExtendWith(SharedSparkJob.class)
class CountedBytesTest {
  private static final List<String> READ_BY_A_PLAN =
      List.of("config.json", "servekit.json", "model.safetensors.index.json", "checksum.json");

  @TempDir private Path scratch;
  private Path source;
  private LayoutActions actions;

  @BeforeEach
  void useDefaultRules(SparkJob job) throws JobException {
    source = scratch.resolve("source");
    actions = new LayoutActions(job, RuleSources.defaultsAnd(List.of()));
  }

  @ParameterizedTest
  @EnumSource
  void aCopyReadsAndWritesWhatThePlanSays(Layout layout) throws Exception {
    generate(layout, Fault.MIXED);
    Cost planned = actions.plan(source).costs().get(Strategy.COPY);
    Path output = scratch.resolve("output");

    RepairResult result = actions.repair(source, output, RepairRequest.Verify.HEADERS);

    assertThat(result.bytesWritten()).isEqualTo(planned.writes()).isEqualTo(bytesOf(output));
    assertThat(result.bytesRead()).isEqualTo(planned.reads());
    assertThat(planned.extraSpace()).isEqualTo(planned.writes());
    Row run = run(output);
    assertThat(run.<Long>getAs("bytes_read")).isEqualTo(result.bytesRead());
    assertThat(run.<Long>getAs("bytes_written")).isEqualTo(result.bytesWritten());
  }

  @ParameterizedTest
  @EnumSource
  void inPlaceIsReadAndWrittenNoMoreThanThePlanSays(Layout layout) throws Exception {
    generate(layout, Fault.MIXED);
    PlannedCheckpoint plan = actions.plan(source);
    Cost planned = plan.costs().get(Strategy.PATCH);

    RepairResult result = actions.repairInPlace(source);

    assertThat(result.bytesWritten()).isPositive().isLessThanOrEqualTo(planned.writes());
    assertThat(result.bytesRead())
        .isGreaterThan(2 * headerBytes(plan.plan()))
        .isLessThanOrEqualTo(planned.reads());
    Row run = run(source);
    assertThat(run.<Long>getAs("bytes_read")).isEqualTo(result.bytesRead());
    assertThat(run.<Long>getAs("bytes_written")).isEqualTo(result.bytesWritten());
  }

  @Test
  void ofAPreshardedDumpOnlyTheNamesAreWrittenInPlace() throws Exception {
    generate(Layout.PRESHARDED, Fault.ALIAS_ONLY);
    Cost planned = actions.plan(source).costs().get(Strategy.PATCH);

    RepairResult result = actions.repairInPlace(source);

    long names = Files.size(find("checksum.json"));
    assertThat(result.bytesWritten()).isEqualTo(planned.writes()).isEqualTo(names);
    assertThat(planned.extraSpace()).isEqualTo(names);
  }

  @ParameterizedTest
  @EnumSource
  void aPlanCountsHeadersSideFilesAndWhatItCompares(Layout layout) throws Exception {
    generate(layout, Fault.BOTH_SAME);

    PlannedCheckpoint planned = actions.plan(source);

    // In a presharded dump equal keys prove equal bytes.
    long compared = layout == Layout.PRESHARDED ? 0 : 2 * droppedBytes(planned.plan());
    assertThat(planned.plan().counts().drop()).isPositive();
    assertThat(planned.bytesRead())
        .isEqualTo(headerBytes(planned.plan()) + compared + bytesReadByAPlan(layout));
  }

  @Test
  void readingBackCounts() throws Exception {
    generate(Layout.SHARDED_STATE, Fault.MIXED);
    Path output = scratch.resolve("output");
    RepairResult headers = actions.repair(source, output, RepairRequest.Verify.HEADERS);

    RepairResult full = actions.repair(source, scratch.resolve("other"), RepairRequest.Verify.FULL);

    assertThat(full.bytesRead() - headers.bytesRead()).isEqualTo(shardBytes(output));
    assertThat(full.bytesWritten()).isEqualTo(headers.bytesWritten());
  }

  @Test
  void comparingWithTheSourceCountsBothSides() throws Exception {
    generate(Layout.SHARDED_STATE, Fault.ALIAS_ONLY);
    Path output = scratch.resolve("output");
    actions.repair(source, output, RepairRequest.Verify.HEADERS);
    VerifyRequest.Depth depth = VerifyRequest.Depth.HEADERS;
    VerifyRequest alone = new VerifyRequest(actions.of(output), depth);
    VerifyRequest against =
        new VerifyRequest(actions.of(output), depth).against(Actions.location(source));
    long one = verify(alone);

    long headers =
        headerBytes(actions.plan(source).plan()) + headerBytes(actions.plan(output).plan());
    assertThat(one)
        .isEqualTo(
            headerBytes(actions.plan(output).plan()) + bytesReadByAPlan(Layout.SHARDED_STATE));
    assertThat(verify(against) - one).isEqualTo(headers + bytesReadByAPlan(Layout.SHARDED_STATE));

    VerifyRequest.Depth full = VerifyRequest.Depth.FULL;
    long allOfOne = verify(new VerifyRequest(actions.of(output), full));
    long allOfBoth =
        verify(new VerifyRequest(actions.of(output), full).against(Actions.location(source)));
    assertThat(allOfOne - one)
        .isEqualTo(shardBytes(output) + headerBytes(actions.plan(output).plan()));
    assertThat(allOfBoth - allOfOne)
        .isEqualTo(
            shardBytes(output) + shardBytes(source) + bytesReadByAPlan(Layout.SHARDED_STATE));
  }

  private long verify(VerifyRequest request) throws JobException {
    VerifyResult result = new VerifyAction(actions.job(), request).execute();
    assertThat(result.faults()).isEmpty();
    return result.bytesRead();
  }

  private void generate(Layout layout, Fault fault) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .layout(layout)
            .fault(fault)
            .tp(layout == Layout.HUGGINGFACE ? 1 : 2)
            .layers(8)
            .bytes(600_000)
            .maxShardBytes(100_000)
            .build();
    new GenerateAction(settings, Actions.location(source), "", Progress.SILENT).execute();
  }

  private Row run(Path audit) throws JobException {
    List<Row> runs = new ArrayList<>();
    new AuditQuery(actions.job(), Actions.location(audit)).read(runs::add, tensor -> {});
    assertThat(runs).hasSize(1);
    return runs.get(0);
  }

  private static long headerBytes(Plan plan) {
    return plan.shards().stream().mapToLong(ShardPlan::headerBytes).sum();
  }

  /** The length of every dropped tensor, by the audit of the repair that drops them. */
  private long droppedBytes(Plan plan) throws Exception {
    Path output = scratch.resolve("dropped");
    actions.repair(source, output, RepairRequest.Verify.HEADERS);
    List<Long> dropped = new ArrayList<>();
    new AuditQuery(actions.job(), Actions.location(output))
        .read(
            run -> {},
            row -> {
              if (row.getAs("action").equals(Action.DROP.name())) {
                dropped.add(row.getAs("bytes"));
              }
            });
    assertThat(dropped).hasSize(Math.toIntExact(plan.counts().drop()));
    return dropped.stream().mapToLong(Long::longValue).sum();
  }

  /** Of the side files those that a plan reads. */
  private long bytesReadByAPlan(Layout layout) throws IOException {
    return files(source)
        .filter(file -> READ_BY_A_PLAN.contains(file.getFileName().toString()))
        .filter(file -> !file.getParent().endsWith("inference"))
        .mapToLong(
            file ->
                // An index says which files there are, is held to them, and is changed.
                layout == Layout.HUGGINGFACE && file.toString().endsWith(".index.json")
                    ? 3 * size(file)
                    : size(file))
        .sum();
  }

  private Path find(String name) throws IOException {
    return files(source)
        .filter(file -> file.getFileName().toString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static long shardBytes(Path checkpoint) throws IOException {
    return files(checkpoint)
        .filter(file -> file.toString().endsWith(".safetensors"))
        .mapToLong(CountedBytesTest::size)
        .sum();
  }

  /** Of all that belongs to the checkpoint itself. */
  private static long bytesOf(Path checkpoint) throws IOException {
    return files(checkpoint)
        .filter(file -> !checkpoint.relativize(file).startsWith(".shardmend"))
        .filter(file -> !file.getFileName().toString().equals("shardmend.json"))
        .mapToLong(CountedBytesTest::size)
        .sum();
  }

  private static Stream<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList().stream();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
