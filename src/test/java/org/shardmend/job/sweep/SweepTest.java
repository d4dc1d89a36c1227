package org.shardmend.job.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.Actions;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.sweep.SweptCheckpoint.Outcome;
import org.shardmend.plan.Action;
import org.shardmend.plan.Plan;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.testing.StagedRun;
import org.shardmend.trial.Fault;

/** Trees of checkpoints: each comes out right, whatever becomes of the others. */
@ExtendWith(SharedSparkJob.class)
class SweepTest {
  @TempDir private Path scratch;

  private Actions actions;
  private Path root;
  private Path audit;

  @BeforeEach
  void takeTheSharedApplication(SparkJob job) throws JobException {
    actions = Actions.withDefaultRules(job);
    root = scratch.resolve("tree");
    audit = scratch.resolve("audit");
  }

  @Test
  void fortyCheckpointsEachComeOutRightAndASecondSweepReadsHeadersAlone() throws Exception {
    SweepTree40 tree = SweepTree40.in(root, actions);
    assertThat(tree.expected()).hasSize(40);
    Location locked = Actions.location(root.resolve("locked/by-another"));

    try (Store store = Stores.open(locked, actions.job().hadoop().configuration());
        TargetLock lock =
            TargetLock.acquire(store, TargetLock.inside(locked.path()), "another run")) {
      List<SweptCheckpoint> first = sweep(inPlace());

      assertThat(outcomes(first)).isEqualTo(tree.expected());
      assertThat(refusalsAndFailures(first))
          .allSatisfy(one -> assertThat(one.message()).isNotBlank());
      assertThat(one(first, "large/0").bytesWritten()).isLessThan(SweepTree40.LARGE_BYTES / 10);

      tree.letTimePass();
      SortedMap<String, String> content = DirectoryContent.of(root);
      SortedMap<String, FileTime> times = tree.times();
      long before = bytesRead();
      List<SweptCheckpoint> second = sweep(inPlace());
      long read = bytesRead() - before;

      assertThat(outcomes(second)).isEqualTo(tree.expectedAgain());
      assertThat(DirectoryContent.of(root)).isEqualTo(content);
      assertThat(tree.times()).isEqualTo(times);
      assertThat(read).isLessThan(SweepTree40.LARGE_BYTES / 2);
      assertThat(second).allSatisfy(one -> assertThat(one.bytesWritten()).isZero());
      lock.requireHeld();
    }

    assertThat(one(sweep(inPlace().include("locked/*")), "locked/by-another").outcome())
        .isEqualTo(Outcome.DONE);
  }

  @Test
  void whatWasRefusedIsTriedAgainWhenAFileOrTheRulesHaveChanged() throws Exception {
    generateOld("a", Fault.BOTH_DIFFER);
    assertThat(outcomes(sweep(inPlace()))).containsEntry("a", Outcome.REFUSED);
    assertThat(outcomes(sweep(inPlace()))).containsEntry("a", Outcome.REFUSED_BEFORE);

    assertThat(outcomes(sweep(inPlace().retryRefused()))).containsEntry("a", Outcome.REFUSED);
    Actions others = Actions.withOnlyRules(actions.job(), "lora-base-layer");
    assertThat(outcomes(sweep(request(others)))).containsEntry("a", Outcome.NOTHING_TO_DO);

    Files.setLastModifiedTime(
        root.resolve("a/model-rank-0-part-0.safetensors"),
        FileTime.from(Instant.now().minus(Duration.ofHours(2))));
    assertThat(outcomes(sweep(inPlace()))).containsEntry("a", Outcome.REFUSED);
  }

  @Test
  void anErrorInOneCheckpointIsThatOnesFailureWithARowInTheAuditAndTheOthersGoOn()
      throws Exception {
    for (String name : List.of("a", "b", "c", "d")) {
      generateOld(name, Fault.ALIAS_ONLY);
    }
    Queue<Error> errors =
        new ConcurrentLinkedQueue<>(
            List.of(
                new StackOverflowError(),
                new OutOfMemoryError("Java heap space"),
                new NoClassDefFoundError("org/example/Lost")));

    List<SweptCheckpoint> swept =
        sweep(
            inPlace()
                .listener(
                    step -> {
                      Error next = errors.poll();
                      if (next != null) {
                        throw next;
                      }
                    }));

    assertThat(swept)
        .extracting(SweptCheckpoint::code)
        .containsExactlyInAnyOrder("", "stack-overflow", "out-of-memory", "wrong-libraries");
    assertThat(swept)
        .filteredOn(one -> !one.code().isEmpty())
        .allSatisfy(one -> assertThat(one.outcome()).isEqualTo(Outcome.FAILED))
        .allSatisfy(one -> assertThat(one.message()).isNotBlank());
    assertThat(runs())
        .containsExactlyInAnyOrderElementsOf(
            swept.stream()
                .map(one -> one.runId() + " " + one.outcome().id() + " " + one.message())
                .toList());
    assertThat(sweep(inPlace().settle(Duration.ZERO)))
        .extracting(SweptCheckpoint::outcome)
        .containsExactlyInAnyOrder(Outcome.NOTHING_TO_DO, Outcome.DONE, Outcome.DONE, Outcome.DONE);
  }

  @Test
  void aRepairThatFailsWhenItsRowsAreReadyHasThemInTheAuditOnceAnotherSweepHasFinishedIt()
      throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    StepListener stops =
        step -> {
          if (step.startsWith("journal: apply")) {
            throw new UncheckedIOException(new IOException("the disk is gone"));
          }
        };
    SweptCheckpoint failed = one(sweep(inPlace().listener(stops)), "a");
    assertThat(failed.outcome()).isEqualTo(Outcome.FAILED);

    SweepRequest elsewhere =
        inPlace().settle(Duration.ZERO).outputRoot(Actions.location(scratch.resolve("repaired")));
    assertThat(outcomes(sweep(elsewhere))).containsEntry("a", Outcome.REFUSED);
    assertThat(outcomes(sweep(elsewhere))).containsEntry("a", Outcome.REFUSED);

    assertThat(outcomes(sweep(inPlace().settle(Duration.ZERO)))).containsEntry("a", Outcome.DONE);

    List<String> renamed = new ArrayList<>();
    new AuditQuery(actions.job(), Actions.location(audit))
        .actions(Set.of(Action.RENAME))
        .read(run -> {}, tensor -> renamed.add(tensor.getAs("run_id")));
    assertThat(runs()).contains(failed.runId() + " done ");
    assertThat(renamed).isNotEmpty().containsOnly(failed.runId());
  }

  @Test
  void whatFailsWhenARepairIsDoneIsAWarningAndTheNextSweepMakesItGood() throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    StepListener inTheWay =
        step -> {
          if (step.equals("journal: applied")) {
            try {
              Files.writeString(audit.resolve("runs"), "in the way");
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };

    SweptCheckpoint repaired = one(sweep(inPlace().listener(inTheWay)), "a");

    assertThat(repaired.outcome()).isEqualTo(Outcome.DONE);
    assertThat(repaired.code()).isEmpty();
    assertThat(repaired.message())
        .contains("is repaired, but what was to be done afterwards has failed", "same command");
    assertThat(actions.plan(root.resolve("a")).nothingToDo()).isTrue();
    Files.delete(audit.resolve("runs"));
    StagedRun.of(audit, repaired.runId()).dead();

    assertThat(outcomes(sweep(inPlace().settle(Duration.ZERO))))
        .containsEntry("a", Outcome.NOTHING_TO_DO);
    assertThat(runs()).containsExactly(repaired.runId() + " done ");
    assertThat(audit.resolve("_staging")).doesNotExist();
  }

  @Test
  void aRefusalIsToldWithItsRunAndTheCountsOfItsPlanThenAndLater() throws Exception {
    generateOld("a", Fault.BOTH_DIFFER);
    long refused = actions.plan(root.resolve("a")).counts().refuse();

    SweptCheckpoint first = one(sweep(inPlace()), "a");
    SweptCheckpoint second = one(sweep(inPlace()), "a");

    assertThat(first.counts().refuse()).isEqualTo(refused).isPositive();
    assertThat(first.code()).isEqualTo("contradiction");
    assertThat(runs()).containsExactly(first.runId() + " refused " + first.message());
    assertThat(second.runId()).isEqualTo(first.runId());
    assertThat(second.counts()).isEqualTo(first.counts());
    assertThat(second.code()).isEqualTo("refused-before");
  }

  @Test
  void manyThatAreRightAreLookedAtInOneSparkJobAndWhatIsNotAmongThemIsRepaired() throws Exception {
    for (int i = 0; i < 6; i++) {
      generateOld("right/" + i, i % 2 == 0 ? Fault.CLEAN : Fault.ALIAS_ONLY);
    }
    sweep(inPlace());
    generateOld("later", Fault.ALIAS_ONLY);
    SweepRequest right = inPlace().settle(Duration.ZERO).exclude("later").retryRefused();
    int before = lastSparkJob();

    List<SweptCheckpoint> swept = sweep(right);

    assertThat(lastSparkJob() - before).isEqualTo(1);
    assertThat(swept)
        .hasSize(6)
        .allSatisfy(one -> assertThat(one.outcome()).isEqualTo(Outcome.NOTHING_TO_DO))
        .allSatisfy(one -> assertThat(one.counts()).isEqualTo(plan(one).counts()))
        .allSatisfy(one -> assertThat(one.shards()).isEqualTo(plan(one).shards().size()))
        .allSatisfy(one -> assertThat(one.bytesRead()).isPositive());
    assertThat(outcomes(sweep(inPlace().settle(Duration.ZERO))))
        .containsEntry("later", Outcome.DONE)
        .containsEntry("right/0", Outcome.NOTHING_TO_DO);
  }

  private Plan plan(SweptCheckpoint one) {
    try {
      return actions.plan(Path.of(one.checkpoint().path()));
    } catch (JobException e) {
      throw new AssertionError(e);
    }
  }

  private int lastSparkJob() {
    return Arrays.stream(actions.job().spark().statusTracker().getJobIdsForGroup(null))
        .max()
        .orElse(0);
  }

  @Test
  void aFileDatedInTheFutureIsSaidAndHidesNothing() throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    Files.setLastModifiedTime(
        root.resolve("a/config.json"), FileTime.from(Instant.now().plus(Duration.ofDays(400))));

    SweepResult result = result(inPlace().settle(Duration.ZERO));

    assertThat(outcomes(result.checkpoints())).isEqualTo(Map.of("a", Outcome.DONE));
    assertThat(result.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("dated-in-the-future");
              assertThat(finding.message())
                  .contains("/tree/a: 1 file of it, config.json, is dated");
            });
  }

  @Test
  void aDryRunChangesNothingAtAll() throws Exception {
    generateOld("broken", Fault.ALIAS_ONLY);
    generateOld("differ", Fault.BOTH_DIFFER);
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    List<SweptCheckpoint> swept = sweep(inPlace().dryRun());

    assertThat(outcomes(swept))
        .isEqualTo(Map.of("broken", Outcome.FOUND, "differ", Outcome.REFUSED));
    assertThat(one(swept, "broken").counts().rename()).isPositive();
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  @Test
  void anOutputRootMirrorsTheTreeAndIsFoundAgain() throws Exception {
    generateOld("team/broken", Fault.ALIAS_ONLY);
    generateOld("team/clean", Fault.CLEAN);
    SortedMap<String, String> before = DirectoryContent.of(root);
    Path output = scratch.resolve("repaired");

    List<SweptCheckpoint> first = sweep(inPlace().outputRoot(Actions.location(output)));

    assertThat(outcomes(first))
        .isEqualTo(Map.of("team/broken", Outcome.DONE, "team/clean", Outcome.NOTHING_TO_DO));
    assertThat(DirectoryContent.of(root)).isEqualTo(before);
    assertThat(actions.plan(output.resolve("team/broken")).nothingToDo()).isTrue();
    assertThat(output.resolve("team/clean")).doesNotExist();

    assertThat(outcomes(sweep(inPlace().outputRoot(Actions.location(output)))))
        .containsEntry("team/broken", Outcome.NOTHING_TO_DO);
  }

  @Test
  void aSourceThatWasSavedAgainIsNotTakenForRepaired() throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    Path output = scratch.resolve("repaired");
    sweep(inPlace().outputRoot(Actions.location(output)));
    SortedMap<String, String> result = DirectoryContent.of(output);
    Files.move(root.resolve("a"), scratch.resolve("gone"));
    generateOld("a", Fault.MIXED);

    SweptCheckpoint again = one(sweep(inPlace().outputRoot(Actions.location(output))), "a");

    assertThat(again.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(again.message()).contains("another state", "Remove it");
    assertThat(DirectoryContent.of(output)).isEqualTo(result);
  }

  @Test
  void onlyWhatIsAskedForIsLookedAt() throws Exception {
    generateOld("a", Fault.CLEAN);
    generateOld("scratch/b", Fault.CLEAN);
    generateOld("deep/er/c", Fault.CLEAN);
    generateOld(".hidden/d", Fault.CLEAN);

    assertThat(outcomes(sweep(inPlace()))).containsOnlyKeys("a", "scratch/b", "deep/er/c");
    assertThat(outcomes(sweep(inPlace().exclude("**/scratch")))).containsOnlyKeys("a", "deep/er/c");
    assertThat(outcomes(sweep(inPlace().include("**/c")))).containsOnlyKeys("deep/er/c");
    assertThat(outcomes(sweep(inPlace().depth(1)))).containsOnlyKeys("a");
    assertThat(outcomes(sweep(inPlace().modifiedSince(Instant.now())))).isEmpty();
    SweepRequest overlapping =
        new SweepRequest(
            List.of(Actions.location(root), Actions.location(root.resolve("deep"))),
            actions.of(root),
            Actions.location(audit));
    assertThat(sweep(overlapping)).hasSize(3);
  }

  @Test
  void rootsThatAreTwoNamesOfOnePlaceAreSweptOnce() throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    Path link = Files.createSymbolicLink(scratch.resolve("link"), root);
    Files.createSymbolicLink(root.resolve("loop"), root);
    SweepRequest twice =
        new SweepRequest(
            List.of(
                Actions.location(root),
                Actions.location(link),
                Actions.location(root.resolve("a")),
                Actions.location(root)),
            actions.of(root),
            Actions.location(audit));

    List<SweptCheckpoint> swept = sweep(twice);

    assertThat(swept).hasSize(1);
    assertThat(outcomes(swept)).isEqualTo(Map.of("a", Outcome.DONE));
  }

  @Test
  void aRootThatIsAFileIsWrongUse() throws Exception {
    generateOld("a", Fault.CLEAN);
    SweepRequest file =
        new SweepRequest(
            List.of(Actions.location(root.resolve("a/config.json"))),
            actions.of(root),
            Actions.location(audit));

    assertThatThrownBy(() -> sweep(file))
        .isInstanceOfSatisfying(
            JobException.class, e -> assertThat(e.code()).isEqualTo("not-a-directory"))
        .hasMessageContaining("a/config.json is a file. Name the directory");
  }

  @Test
  void aCheckpointThatIsRemovedWhileTheSweepRunsIsGoneAndNoFailure() throws Exception {
    generateOld("a", Fault.ALIAS_ONLY);
    Path elsewhere = scratch.resolve("elsewhere");
    StepListener removes =
        step -> {
          try {
            if (Files.notExists(elsewhere)) {
              Files.move(root.resolve("a"), elsewhere);
            }
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };

    SweptCheckpoint swept = one(sweep(inPlace().listener(removes)), "a");

    assertThat(swept.outcome()).isEqualTo(Outcome.GONE);
    assertThat(swept.message()).isEqualTo("removed while the sweep ran");
    assertThat(root.resolve("a")).doesNotExist();
    assertThat(actions.plan(elsewhere).counts().rename()).isPositive();
  }

  @Test
  void aStrayFileAboveCheckpointsIsSaidWithWhatItHides() throws Exception {
    for (String name : List.of("a", "team/b", "team/c", "scratch/d", "one/two/three/four/five")) {
      generateOld(name, Fault.ALIAS_ONLY);
    }
    Files.createDirectories(root.resolve("a/servekit-caches/e"));
    Files.createFile(root.resolve("a/servekit-caches/e/kernel.safetensors"));
    assertThat(result(inPlace()).hidden()).isEmpty();
    Files.copy(
        root.resolve("a/model-rank-0-part-0.safetensors"), root.resolve("model.safetensors"));
    SweepRequest sweep = inPlace().settle(Duration.ZERO).exclude("**/scratch");

    SweepResult result = result(sweep.dryRun());

    assertThat(result.checkpoints()).extracting(this::name).containsExactly("");
    assertThat(result.hidden()).hasSize(1);
    HiddenCheckpoints hidden = result.hidden().get(0);
    assertThat(hidden.hidden())
        .containsExactly(
            Actions.location(root.resolve("a")),
            Actions.location(root.resolve("team/b")),
            Actions.location(root.resolve("team/c")));
    assertThat(hidden.finding().code()).isEqualTo("hidden-checkpoints");
    assertThat(hidden.finding().message())
        .startsWith(
            Actions.location(root)
                + " counts as a checkpoint because of model.safetensors, so 3 directories below it"
                + " that look like checkpoints were not looked at: a, team/b, team/c. If it is"
                + " none, move model.safetensors elsewhere");
  }

  @Test
  void whatIsHiddenBelowOneRootAndFoundBelowAnotherIsNotCalledHidden() throws Exception {
    generateOld("final", Fault.CLEAN);
    generateOld("final/checkpoint-1", Fault.ALIAS_ONLY);
    generateOld("final/checkpoint-2", Fault.ALIAS_ONLY);
    SweepRequest both =
        new SweepRequest(
            List.of(Actions.location(root), Actions.location(root.resolve("final/checkpoint-2"))),
            actions.of(root),
            Actions.location(audit));

    SweepResult result = result(both);

    assertThat(outcomes(result.checkpoints()))
        .isEqualTo(Map.of("final", Outcome.NOTHING_TO_DO, "final/checkpoint-2", Outcome.DONE));
    assertThat(result.hidden()).hasSize(1);
    assertThat(result.hidden().get(0).finding().message())
        .contains(
            "1 directory below it that looks like a checkpoint was not looked at: checkpoint-1.");
    assertThat(result(inPlace().exclude("**/checkpoint-*")).hidden()).isEmpty();
  }

  @Test
  void howMuchIsLookedIntoInsideACheckpointIsBounded() throws Exception {
    generateOld("final", Fault.CLEAN);
    generateOld("final/a", Fault.CLEAN);
    for (int i = 0; i < 1000; i++) {
      Files.createDirectories(root.resolve("final/empty-%d".formatted(i)));
    }
    generateOld("final/z", Fault.CLEAN);

    assertThat(result(inPlace()).hidden())
        .singleElement()
        .satisfies(
            hidden ->
                assertThat(hidden.finding().message())
                    .contains("so at least 1 directory below it"));
  }

  @Test
  void settingsThatMeanNothingAreRefused() {
    assertThatThrownBy(() -> inPlace().include("[")).hasMessageContaining("'['");
    assertThatThrownBy(() -> sweep(inPlace().parallel(0))).hasMessageContaining("--parallel");
    assertThatThrownBy(() -> sweep(inPlace().depth(-1))).hasMessageContaining("--depth");
    assertThatThrownBy(() -> sweep(inPlace())).hasMessageContaining("does not exist");
  }

  private SweepRequest inPlace() throws JobException {
    return request(actions);
  }

  private SweepRequest request(Actions how) throws JobException {
    return new SweepRequest(
        List.of(Actions.location(root)),
        new PlanRequest(
            Actions.location(root), DiscoveryOptions.defaults(), how.rules(), UnknownDtypes.REFUSE),
        Actions.location(audit));
  }

  private List<SweptCheckpoint> sweep(SweepRequest request) throws JobException {
    return result(request).checkpoints();
  }

  private SweepResult result(SweepRequest request) throws JobException {
    return new SweepAction(actions.job(), request.maxBytesInFlight(100_000_000)).execute();
  }

  /** The rows of the audit: run, outcome, error. */
  private List<String> runs() throws JobException {
    List<String> runs = new ArrayList<>();
    new AuditQuery(actions.job(), Actions.location(audit))
        .read(
            row ->
                runs.add(
                    row.getAs("run_id")
                        + " "
                        + row.getAs("outcome")
                        + " "
                        + Objects.toString(row.getAs("error"), "")),
            tensor -> {});
    return runs;
  }

  private void generateOld(String name, Fault fault) throws JobException, IOException {
    Path directory = root.resolve(name);
    Actions.generate(directory, fault);
    FileTime then = FileTime.from(Instant.now().minus(Duration.ofHours(3)));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, then);
      }
    }
  }

  private Map<String, Outcome> outcomes(List<SweptCheckpoint> swept) {
    return swept.stream()
        .collect(Collectors.toMap(this::name, SweptCheckpoint::outcome, (a, b) -> b, TreeMap::new));
  }

  private SweptCheckpoint one(List<SweptCheckpoint> swept, String name) {
    return swept.stream().filter(one -> name(one).equals(name)).findFirst().orElseThrow();
  }

  private String name(SweptCheckpoint one) {
    return root.relativize(Path.of(one.checkpoint().path())).toString();
  }

  private static List<SweptCheckpoint> refusalsAndFailures(List<SweptCheckpoint> swept) {
    return swept.stream()
        .filter(one -> one.outcome() == Outcome.REFUSED || one.outcome() == Outcome.FAILED)
        .toList();
  }

  /** What this process has read by now, in bytes, as the system counts it. */
  private static long bytesRead() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/io")).stream()
        .filter(line -> line.startsWith("rchar: "))
        .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
        .findFirst()
        .orElseThrow();
  }
}
