package org.shardmend.job.repair;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.lock.HeldLock;
import org.shardmend.storage.lock.LockedException;

/** A repair that holds a lock, and releases it however it ends. */
final class LockedRepair {
  private LockedRepair() {}

  /** What is done under the lock. */
  @FunctionalInterface
  interface Work<L extends HeldLock> {
    RepairResult repair(L lock) throws JobException, IOException;
  }

  /**
   * Does the work. A lock that can't be released takes nothing from what was done.
   *
   * @throws LockedException when the work failed and the lock is no longer this run's: whatever
   *     failed, another run was at the same files
   */
  static <L extends HeldLock> RepairResult run(L lock, Progress progress, Work<L> work)
      throws JobException, IOException {
    RepairResult result;
    try {
      result = work.repair(lock);
    } catch (JobException | IOException | RuntimeException | Error failure) {
      Optional<LockedException> lost = lost(lock, failure);
      release(lock, failure);
      if (lost.isPresent()) {
        throw lost.get();
      }
      throw failure;
    }
    AfterPublication after = new AfterPublication(progress, result.checkpoint());
    after.run(lock::close);
    return result.with(after.warnings());
  }

  private static Optional<LockedException> lost(HeldLock lock, Throwable failure) {
    if (failure instanceof LockedException || failure instanceof Error) {
      return Optional.empty();
    }
    try {
      lock.requireHeld();
      return Optional.empty();
    } catch (LockedException lost) {
      lost.addSuppressed(failure);
      return Optional.of(lost);
    } catch (IOException unknown) {
      failure.addSuppressed(unknown);
      return Optional.empty();
    }
  }

  private static void release(HeldLock lock, Throwable failure) {
    try {
      lock.close();
    } catch (IOException notReleased) {
      failure.addSuppressed(notReleased);
    }
  }
}
