package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.StepListener;

/** A run in place changes nothing more once its lock is no longer its own. */
class BrokenLockTest {
  private static final String SAMPLE = "presharded-tp2-pp2-xxh3";
  private static final String DUMP = "TP-2-sig-49c4b287720e2996";

  @TempDir private Path scratch;
  private Path root;
  private Path dump;
  private Map<String, String> before;
  private LayoutActions actions;

  @BeforeEach
  void copyADump() throws Exception {
    root = LayoutActions.copyOfSample(SAMPLE, scratch);
    dump = root.resolve(DUMP);
    before = LayoutActions.content(root);
    actions = LayoutActions.with();
  }

  private RepairResult repair(Path place, StepListener listener) throws JobException {
    RepairRequest request = RepairRequest.inPlace(actions.of(place)).listener(listener);
    return new RepairAction(actions.job(), request).execute();
  }

  private static StepListener breaking(Path place, String step) {
    return reached -> {
      if (reached.startsWith(step)) {
        try {
          TargetLock.breakLock(new LocalStore(), TargetLock.inside(place.toString()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    };
  }

  @Test
  void l6_aRepairWhoseLockIsBrokenStopsBeforeItsNextStep() {
    for (String step : List.of("journal: put", "journal: sync directories")) {
      JobException failure =
          catchThrowableOfType(JobException.class, () -> repair(root, breaking(root, step)));

      assertThat(failure.code()).as(step).isEqualTo("locked");
      assertThat(root.resolve(".shardmend/journal/READY")).doesNotExist();
    }
  }

  @Test
  void l6_whatTheNextRunFindsItFinishes() throws Exception {
    JobException failure =
        catchThrowableOfType(
            JobException.class, () -> repair(root, breaking(root, "journal: apply REPLACE")));
    assertThat(failure.code()).isEqualTo("locked");
    assertThat(root.resolve(".shardmend/journal/APPLIED")).doesNotExist();

    assertThat(actions.repairInPlace(root).outcome()).isEqualTo(RepairResult.Outcome.DONE);
    assertThat(actions.rollback(root).outcome()).isEqualTo(JournalResult.Outcome.ROLLED_BACK);
    assertThat(LayoutActions.content(root)).isEqualTo(before);
  }

  /** The lock of the dump is what both hold: of its root, a run locks that, too. */
  @Test
  void aRepairOfARootKeepsOneOfItsDumpOff() throws Exception {
    List<String> codes = new ArrayList<>();
    repair(root, trying("journal: write READY", codes));
    assertThat(codes).containsExactly("locked");
  }

  @Test
  void aRollbackOfARootKeepsARepairOfItsDumpOff() throws Exception {
    actions.repairInPlace(root);
    List<String> codes = new ArrayList<>();
    new RollbackAction(LayoutActions.location(root), false, Progress.SILENT)
        .listener(trying("journal: undo REPLACE", codes))
        .execute();
    assertThat(codes).containsExactly("locked");
    assertThat(LayoutActions.content(root)).isEqualTo(before);
  }

  @Test
  void finishingTheRepairOfARootKeepsOneOfItsDumpOff() throws Exception {
    JobException stopped =
        catchThrowableOfType(
            JobException.class, () -> repair(root, breaking(root, "journal: apply REPLACE")));
    assertThat(stopped.code()).isEqualTo("locked");
    List<String> codes = new ArrayList<>();
    repair(root, trying("journal: apply REPLACE", codes));
    assertThat(codes).containsExactly("locked");
  }

  private StepListener trying(String step, List<String> codes) {
    return reached -> {
      if (reached.startsWith(step)) {
        codes.add(
            catchThrowableOfType(JobException.class, () -> repair(dump, StepListener.NONE)).code());
      }
    };
  }
}
