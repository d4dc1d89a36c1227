package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.ParkedRepairs.Stop;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.testing.TestJvm;
import org.shardmend.trial.Fault;

/**
 * Repairs to an output that are killed by SIGKILL, each at another step, and run again. One process
 * holds all of them where they are to die.
 */
class RepairKillTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int KILLED = 137;
  private static final String MOVED = "publish: sync the parent";
  private static final String DONE = "publish: done";
  private static final String OTHER_ARGUMENTS = "other-arguments";
  private static final String OTHER_SOURCE = "other-source";
  private static final String AUDIT_ELSEWHERE = "audit-elsewhere";

  @TempDir private static Path scratch;
  private static Path source;
  private static long pid;
  private static Told whileItRan;
  private static SortedMap<String, String> expected;
  private static long sideBytes;
  private static long shardBytes;
  private static final Map<String, Stop> STOPS = new LinkedHashMap<>();

  /** What a failure says. */
  private record Told(JobException.Kind kind, String code, String message) {}

  @BeforeAll
  static void killRepairsInTheMiddle() throws Exception {
    source = scratch.resolve("source");
    Actions.generate(source, Fault.MIXED);
    Path changing = DirectoryContent.copy(source, scratch.resolve("changing"));
    for (String step : stepsOfAWholeRepair()) {
      if (!step.equals(DONE)) {
        stop(step, source, step, "");
      }
    }
    assertThat(STOPS).hasSizeGreaterThan(7);
    stop(ParkedRepairs.IN_THE_REWRITE, source, ParkedRepairs.IN_THE_REWRITE, "");
    stop(AUDIT_ELSEWHERE, source, DONE, scratch.resolve("audit").toString());
    stop(OTHER_ARGUMENTS, source, "publish: note", "");
    stop(OTHER_SOURCE, changing, "publish: note", "");
    Process process = park();
    JobException second = failureOf(STOPS.get("publish: note"));
    whileItRan = new Told(second.kind(), second.code(), second.getMessage());
    process.destroyForcibly();
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(KILLED);
  }

  /** What is right, and how much of it is shards, by a repair that nobody stops. */
  private static Set<String> stepsOfAWholeRepair() throws Exception {
    Path output = scratch.resolve("whole/repaired");
    Files.createDirectories(output.getParent());
    Set<String> steps = new LinkedHashSet<>();
    RepairResult whole =
        run(new Stop(source, output, "", "").request().listener(steps::add), new ArrayList<>());
    expected = checkpoint(output);
    for (String name : expected.keySet()) {
      shardBytes += name.endsWith(".safetensors") ? Files.size(output.resolve(name)) : 0;
    }
    sideBytes = whole.bytesWritten() - shardBytes;
    assertThat(sideBytes).isPositive();
    return steps;
  }

  private static void stop(String name, Path from, String step, String audit) throws IOException {
    Path parent = Files.createDirectory(scratch.resolve("stop-" + STOPS.size()));
    STOPS.put(name, new Stop(from, parent.resolve("repaired"), step, audit));
  }

  private static Process park() throws Exception {
    Path list = scratch.resolve("stops");
    Files.write(list, STOPS.values().stream().map(Stop::toLine).toList());
    Path parked = scratch.resolve("parked");
    Process process =
        TestJvm.of(ParkedRepairs.class, List.of("-Xmx512m"), list.toString(), parked.toString())
            .inheritIO()
            .start();
    pid = process.pid();
    Instant end = Instant.now().plus(PATIENCE);
    while (!Files.exists(parked)) {
      assertThat(process.isAlive()).isTrue();
      assertThat(Instant.now()).as("all repairs stop").isBefore(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return process;
  }

  private static JobException failureOf(Stop stop) {
    return catchThrowableOfType(JobException.class, () -> run(stop.request(), new ArrayList<>()));
  }

  private static RepairResult run(RepairRequest request, List<String> messages)
      throws JobException {
    Progress progress =
        new DeafProgress() {

          @Override
          public void message(String text) {
            messages.add(text);
          }
        };
    return new RepairAction(SharedSparkJob.withProgress(progress), request).execute();
  }

  /** Everything but what tells of the run. */
  private static SortedMap<String, String> checkpoint(Path output) {
    SortedMap<String, String> content = DirectoryContent.of(output);
    content.keySet().removeIf(name -> name.startsWith(".shardmend"));
    content.remove("shardmend.json");
    return content;
  }

  private static boolean wasPublished(String step) {
    List<String> names = new ArrayList<>(STOPS.keySet());
    return step.startsWith("publish: ") && names.indexOf(step) >= names.indexOf(MOVED);
  }

  @Test
  void aRunThatWasKilledIsContinuedByTheSameCommandAndWritesNoCompleteShardAgain()
      throws Exception {
    for (Map.Entry<String, Stop> entry : STOPS.entrySet()) {
      String step = entry.getKey();
      if (!step.startsWith("publish: ")) {
        continue;
      }
      Path output = entry.getValue().output();
      if (wasPublished(step)) {
        assertThat(checkpoint(output)).as("after " + step).isEqualTo(expected);
      } else {
        assertThat(output).as("after " + step).doesNotExist();
      }
      List<String> messages = new ArrayList<>();

      RepairResult result = run(entry.getValue().request(), messages);

      assertThat(result.outcome()).isEqualTo(RepairResult.Outcome.DONE);
      assertThat(result.bytesWritten()).as(step).isEqualTo(wasPublished(step) ? 0 : sideBytes);
      assertThat(messages)
          .anySatisfy(
              text -> assertThat(text).contains("Took over the lock", "process " + pid + ")"));
      requireWhole(entry.getValue(), step);
    }
  }

  @Test
  void aRunThatWasKilledInTheRewriteWritesTheOtherShardsOnly() throws Exception {
    Stop stop = STOPS.get(ParkedRepairs.IN_THE_REWRITE);
    List<String> messages = new ArrayList<>();

    RepairResult result = run(stop.request(), messages);

    assertThat(messages).anyMatch(text -> text.startsWith("Resuming: "));
    assertThat(result.bytesWritten()).isGreaterThan(sideBytes).isLessThan(sideBytes + shardBytes);
    requireWhole(stop, stop.step());
  }

  /** The result is right, one run is in its audit, and nothing lies beside it. */
  private static void requireWhole(Stop stop, String when) throws JobException {
    assertThat(checkpoint(stop.output())).as("continued after " + when).isEqualTo(expected);
    assertThat(stop.output().getParent().toFile().list()).as(when).containsExactly("repaired");
    requireOneRun(stop.output());
  }

  private static void requireOneRun(Path audit) throws JobException {
    List<Row> runs = new ArrayList<>();
    List<Row> tensors = new ArrayList<>();
    new AuditQuery(SharedSparkJob.withProgress(Progress.SILENT), Actions.location(audit))
        .read(runs::add, tensors::add);
    assertThat(runs).hasSize(1);
    assertThat(tensors).isNotEmpty();
  }

  @Test
  void anAuditElsewhereIsMadeGoodAfterTheTargetWasPublished() throws Exception {
    Stop stop = STOPS.get(AUDIT_ELSEWHERE);
    assertThat(checkpoint(stop.output())).isEqualTo(expected);

    RepairResult result = run(stop.request(), new ArrayList<>());

    assertThat(result.bytesWritten()).isZero();
    assertThat(checkpoint(stop.output())).isEqualTo(expected);
    requireOneRun(Path.of(stop.audit()));
  }

  @Test
  void aSecondRunIsToldWhoHoldsTheTarget() throws Exception {
    assertThat(whileItRan.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(whileItRan.code()).isEqualTo("locked");
    assertThat(whileItRan.message())
        .containsPattern(
            "run r[0-9TZ]+-[0-9a-f]{8} of user \\S+ on host \\S+ \\(process " + pid + "\\)")
        .containsPattern("since [0-9]{4}-[0-9]{2}-[0-9]{2}T")
        .contains("--break-lock");
  }

  @Test
  void otherArgumentsAreSaidAndStartAnewOnlyWhenToldTo() throws Exception {
    Stop stop = STOPS.get(OTHER_ARGUMENTS);

    JobException failure =
        catchThrowableOfType(
            JobException.class, () -> run(stop.request().digest("sha256"), new ArrayList<>()));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure)
        .hasMessageContaining("other arguments")
        .hasMessageContaining("digest=sha256")
        .hasMessageContaining("--restart");
    assertThat(stop.output()).doesNotExist();
    RepairResult result = run(stop.request().digest("sha256").restart(), new ArrayList<>());
    assertThat(result.bytesWritten()).isGreaterThanOrEqualTo(shardBytes);
    requireWhole(stop, "other arguments");
  }

  @Test
  void aChangedSourceIsSaidAndStartsAnewOnlyWhenToldTo() throws Exception {
    Stop stop = STOPS.get(OTHER_SOURCE);
    Path shard = stop.source().resolve("model-rank-1-part-0.safetensors");
    byte[] bytes = Files.readAllBytes(shard);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int name = text.indexOf(".weight\"");
    bytes[name + 1] = 'W';
    Files.write(shard, bytes);

    JobException failure = failureOf(stop);

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure)
        .hasMessageContaining("the source or the plan has changed")
        .hasMessageContaining("--restart");
    assertThat(stop.output()).doesNotExist();
    RepairResult result = run(stop.request().restart(), new ArrayList<>());
    assertThat(result.bytesWritten()).isGreaterThanOrEqualTo(shardBytes);
    assertThat(stop.output().getParent().toFile().list()).containsExactly("repaired");
  }

  @Test
  void aLockOfAnotherHostIsRespectedUntilTheUserBreaksIt() throws Exception {
    Path parent = Files.createDirectory(scratch.resolve("foreign"));
    Stop stop = new Stop(source, parent.resolve("repaired"), "", "");
    Files.writeString(
        parent.resolve(".repaired.shardmend-lock"),
        """
        {"host": "elsewhere", "boot_id": "b", "pid_namespace": "n", "pid": 4711, "started": "1",
         "run_id": "r20261130T101112Z-0123abcd", "since": "2026-11-30T10:11:12Z"}
        """);

    JobException failure = failureOf(stop);

    assertThat(failure.code()).isEqualTo("locked");
    assertThat(failure)
        .hasMessageContaining(
            "r20261130T101112Z-0123abcd of user ? on host elsewhere (process 4711)")
        .hasMessageContaining("2026-11-30T10:11:12Z")
        .hasMessageContaining("--break-lock");
    assertThat(parent.toFile().list()).containsExactly(".repaired.shardmend-lock");
    run(stop.request().breakLock(), new ArrayList<>());
    requireWhole(stop, "breaking a lock");
  }
}
