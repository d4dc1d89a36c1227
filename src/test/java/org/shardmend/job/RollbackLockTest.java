package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.HeldLocks;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.repair.RunRecord;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.JournalRefusedException;

/** A rollback looks at nothing before it holds the checkpoint's lock. */
class RollbackLockTest {
  @TempDir private Path checkpoint;
  @TempDir private Path scratch;

  @Test
  void aRollbackWaitsForTheLockWhereThereIsNoJournalYet() throws Exception {
    String path = TargetLock.inside(checkpoint.toString());
    try (TargetLock other = TargetLock.acquire(new LocalStore(), path, "r2")) {
      JobException failure = catchThrowableOfType(JobException.class, this::rollback);
      assertThat(failure.code()).isEqualTo("locked");
      other.requireHeld();
    }
    assertThat(rollback().outcome()).isEqualTo(JournalResult.Outcome.NOTHING);
    assertThat(checkpoint).isEmptyDirectory();
  }

  /** A journal that came with a checkpoint may name files behind such a link. */
  @Test
  void noLockIsTakenBehindALinkThatADumpMayBe() throws Exception {
    Path outside = Files.createDirectory(scratch.resolve("outside"));
    // Whatever is made in it, and be it removed again, shows.
    Files.setLastModifiedTime(outside, FileTime.fromMillis(0));
    Files.createSymbolicLink(checkpoint.resolve("linked"), outside);
    Path dump = Files.createDirectory(checkpoint.resolve("dump"));
    Files.createSymbolicLink(dump.resolve(".shardmend"), outside);
    PlanRequest look =
        new PlanRequest(
            LayoutActions.location(checkpoint),
            DiscoveryOptions.defaults(),
            List.of(),
            UnknownDtypes.ALLOW);
    try (HeldLocks locks =
        HeldLocks.of(
            new LocalStore(),
            checkpoint.toString(),
            new RunRecord(look, ""),
            true,
            Progress.SILENT)) {
      for (String directory : List.of("linked", "dump", "absent")) {
        assertThatThrownBy(() -> locks.alsoOf(directory))
            .as(directory)
            .isInstanceOf(JournalRefusedException.class);
      }
      assertThat(checkpoint.resolve("absent")).doesNotExist();
    }
    assertThat(Files.getLastModifiedTime(outside)).isEqualTo(FileTime.fromMillis(0));
  }

  private JournalResult rollback() throws JobException {
    return new RollbackAction(LayoutActions.location(checkpoint), false, Progress.SILENT).execute();
  }
}
