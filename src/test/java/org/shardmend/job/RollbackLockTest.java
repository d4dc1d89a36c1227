package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.JournalResult;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.TargetLock;

/** A rollback looks at nothing before it holds the checkpoint's lock. */
class RollbackLockTest {
  @TempDir private Path checkpoint;

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

  private JournalResult rollback() throws JobException {
    return new RollbackAction(LayoutActions.location(checkpoint), false, Progress.SILENT).execute();
  }
}
