package org.shardmend.job.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.Actions;
import org.shardmend.job.DeafProgress;
import org.shardmend.job.LayoutActions;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.trial.Fault;

/**
 * Commands on a directory whose repair in place was one of another directory, above it or in it:
 * they act on neither, and name the command that does what may be meant.
 */
class EnclosingJournalTest {
  private static final String SAMPLE = "presharded-tp2-pp2-xxh3";
  private static final String DUMP = "TP-2-sig-49c4b287720e2996";

  @TempDir private Path scratch;
  private Path root;
  private Path dump;
  private LayoutActions actions;

  @BeforeEach
  void copyADump() throws Exception {
    root = LayoutActions.copyOfSample(SAMPLE, scratch);
    dump = root.resolve(DUMP);
    actions = LayoutActions.with();
  }

  @Test
  void aRollbackOfAPartNamesTheWholeAndChangesNothing() throws Exception {
    Map<String, String> before = LayoutActions.content(root);
    actions.repairInPlace(root);
    Map<String, String> repaired = LayoutActions.content(root);
    Path link = Files.createSymbolicLink(scratch.resolve("link"), dump);

    for (Path part : List.of(dump, link)) {
      JobException failure = failureOf(() -> actions.rollback(part));

      assertThat(failure.kind()).isEqualTo(JobException.Kind.USAGE);
      assertThat(failure.code()).isEqualTo("journal-elsewhere");
      assertThat(failure)
          .hasMessage(
              "file:%s has no journal: what was repaired in it was repaired as a part of file:%s."
                  + " To undo that: shardmend rollback file:%s",
              part, root, root);
    }
    assertThat(LayoutActions.content(root)).isEqualTo(repaired);

    assertThat(actions.rollback(root).outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertThat(LayoutActions.content(root)).isEqualTo(before);
    assertThat(actions.rollback(dump).outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
  }

  @Test
  void aRollbackOfADirectoryInWhichNothingWasRepairedSaysWhatIsAround() throws Exception {
    actions.repairInPlace(root);
    Path apart = Files.createDirectories(root.resolve("servekit-caches/kernels"));
    List<String> messages = new ArrayList<>();
    Progress progress =
        new DeafProgress() {

          @Override
          public void message(String text) {
            messages.add(text);
          }
        };

    JournalResult result =
        new RollbackAction(LayoutActions.location(apart), false, progress).execute();

    assertThat(result.outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
    assertThat(messages)
        .singleElement()
        .asString()
        .endsWith("To undo that: shardmend rollback file:" + root);
  }

  @Test
  void aRollbackOfARootNamesTheDumpThatWasRepairedInIt() throws Exception {
    actions.repairInPlace(dump);

    JobException failure = failureOf(() -> actions.rollback(root));

    assertThat(failure.code()).isEqualTo("journal-elsewhere");
    assertThat(failure).hasMessageEndingWith("To undo that: shardmend rollback file:" + dump);
    assertThat(actions.rollback(dump).outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
  }

  @Test
  void whileTheWholeIsBetweenOldAndNewEveryCommandOnAPartIsRefused() throws Exception {
    stopARepairOf(root);
    Map<String, String> stopped = LayoutActions.content(root);
    List<ThrowingCallable> commands =
        List.of(
            () -> actions.plan(dump),
            () -> actions.verify(dump),
            () -> actions.repairInPlace(dump),
            () -> actions.repair(dump, scratch.resolve("output"), Strategy.COPY));

    for (ThrowingCallable command : commands) {
      JobException failure = failureOf(command);

      assertThat(failure.kind()).isEqualTo(JobException.Kind.REFUSED);
      assertThat(failure.code()).isEqualTo("journal-open");
      assertThat(failure)
          .hasMessageContaining("shardmend repair file:%s --in-place;", root)
          .hasMessageEndingWith("shardmend rollback file:" + root);
    }
    assertThat(LayoutActions.content(root)).isEqualTo(stopped);

    actions.repairInPlace(root);
    assertThat(actions.plan(dump).plan().nothingToDo()).isTrue();
  }

  @Test
  void whileAPartIsBetweenOldAndNewEveryCommandOnTheWholeIsRefused() throws Exception {
    stopARepairOf(dump);

    JobException failure = failureOf(() -> actions.repairInPlace(root));

    assertThat(failure.code()).isEqualTo("journal-open");
    assertThat(failure).hasMessageEndingWith("shardmend rollback file:" + dump);
  }

  @Test
  void aSecondRepairAtAnotherPlaceWaitsUntilTheFirstIsUndoneOrForgotten() throws Exception {
    LayoutActions others = LayoutActions.with("moe-correction-bias-legacy");
    for (List<Path> places : List.of(List.of(root, dump), List.of(dump, root))) {
      Path first = places.get(0);
      Path second = places.get(1);
      actions.repairInPlace(first);
      assertThat(actions.repairInPlace(second).outcome())
          .isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);

      JobException failure = failureOf(() -> others.repairInPlace(second));

      assertThat(failure.code()).isEqualTo("journal");
      assertThat(failure)
          .hasMessageContaining("shardmend rollback file:%s;", first)
          .hasMessageEndingWith(
              "shardmend repair file:%s --in-place --forget --no-default-rules", first);
      assertThat(Files.exists(second.resolve(".shardmend/journal"))).isFalse();

      LayoutActions none = new LayoutActions(actions.job(), List.of());
      RepairRequest forget = RepairRequest.inPlace(none.of(first)).forget();
      assertThat(new RepairAction(actions.job(), forget).execute().outcome())
          .isEqualTo(RepairResult.Outcome.NOTHING_TO_DO);
      others.repairInPlace(second);
      others.rollback(second);
      startAnew();
    }
  }

  @Test
  void aRepairOfAnotherCheckpointAboveIsInNobodysWay() throws Exception {
    Actions.generate(scratch.resolve("above"), Fault.ALIAS_ONLY);
    Path inside = scratch.resolve("above/inside");
    Actions.generate(inside, Fault.ALIAS_ONLY);
    actions.repairInPlace(scratch.resolve("above"));

    assertThat(actions.repairInPlace(inside).outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(actions.rollback(inside).outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertThat(actions.rollback(inside).outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
  }

  private void startAnew() throws IOException {
    Files.move(root, Files.createTempDirectory(scratch, "done").resolve(SAMPLE));
    root = LayoutActions.copyOfSample(SAMPLE, scratch);
  }

  /** A repair in place that was killed while it changed files. */
  private void stopARepairOf(Path place) throws JobException {
    StepListener stop =
        step -> {
          if (step.startsWith("journal: apply")) {
            throw new IllegalStateException("killed at " + step);
          }
        };
    RepairRequest request = RepairRequest.inPlace(actions.of(place)).listener(stop);
    assertThatThrownBy(() -> new RepairAction(actions.job(), request).execute())
        .isInstanceOf(IllegalStateException.class);
    assertThat(place.resolve(".shardmend/journal/READY")).exists();
  }

  private static JobException failureOf(ThrowingCallable command) {
    return catchThrowableOfType(JobException.class, command);
  }
}
