package org.shardmend.job;

import java.io.IOException;
import org.shardmend.storage.Journal;
import org.shardmend.storage.JournalResult;
import org.shardmend.storage.JournalState;
import org.shardmend.storage.Location;
import org.shardmend.storage.StepListener;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.TargetLock;

/** Undoes a repair in place, here, without executors. */
public final class RollbackAction {
  private final Location checkpoint;
  private final boolean breakLock;
  private StepListener listener = StepListener.NONE;

  /** An action on a checkpoint that was repaired in place, or whose repair was stopped. */
  public RollbackAction(Location checkpoint, boolean breakLock) {
    this.checkpoint = checkpoint;
    this.breakLock = breakLock;
  }

  RollbackAction listener(StepListener heard) {
    listener = heard;
    return this;
  }

  /**
   * Undoes the repair.
   *
   * @throws JobException USAGE when there is no such directory, REFUSED when a file was changed by
   *     something else since, FAILED when it is locked or storage fails
   */
  public JournalResult execute() throws JobException {
    try (Store store = Stores.open(checkpoint, DriverHadoop.configuration())) {
      if (store.stat(checkpoint.path()).isEmpty()) {
        throw Locations.missing(checkpoint);
      }
      Journal journal = Journal.of(store, checkpoint.path(), listener);
      if (journal.state() == JournalState.NONE) {
        return journal.rollback(InPlaceRepair.PATCH_THREADS);
      }
      String path = TargetLock.inside(checkpoint.path());
      if (breakLock) {
        TargetLock.breakLock(store, path);
      }
      try (TargetLock lock = TargetLock.acquire(store, path, "rollback")) {
        lock.requireHeld();
        return journal.rollback(InPlaceRepair.PATCH_THREADS);
      }
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }
}
