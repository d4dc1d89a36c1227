package org.shardmend.job.repair;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.Store;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.lock.HeldLock;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.OwnDirectory;

/**
 * The locks of a checkpoint and of the dumps in it that one run changes. A dump that is named by
 * itself in another run is held by its own lock, so the root's alone would not keep that run off.
 */
public final class HeldLocks implements HeldLock {
  private final Store store;
  private final String checkpoint;
  private final RunRecord run;
  private final boolean breaksLocks;
  private final Progress progress;
  private final Deque<TargetLock> held = new ArrayDeque<>();
  private final Deque<String> directories = new ArrayDeque<>();

  private HeldLocks(
      Store store, String checkpoint, RunRecord run, boolean breaksLocks, Progress progress) {
    this.store = store;
    this.checkpoint = checkpoint;
    this.run = run;
    this.breaksLocks = breaksLocks;
    this.progress = progress;
  }

  /**
   * Takes the checkpoint's lock.
   *
   * @param checkpoint an absolute path in the store
   * @param breaksLocks whether whoever holds one of them loses it
   */
  public static HeldLocks of(
      Store store, String checkpoint, RunRecord run, boolean breaksLocks, Progress progress)
      throws IOException {
    HeldLocks locks = new HeldLocks(store, checkpoint, run, breaksLocks, progress);
    locks.take(checkpoint);
    return locks;
  }

  /**
   * Takes the lock of a dump below the checkpoint, too.
   *
   * @param directory relative to the checkpoint
   * @throws JournalRefusedException when the way there, or anything of ours in it, is a link
   */
  public void alsoOf(String directory) throws IOException {
    if (!directories.contains(directory)) {
      OwnDirectory.requirePlainBelow(store, checkpoint, directory);
      take(checkpoint + "/" + directory);
      directories.add(directory);
    }
  }

  /** Takes the locks of all dumps in which the journal changes files, too. */
  void alsoOf(Journal journal) throws IOException {
    for (String directory : journal.directories()) {
      alsoOf(directory);
    }
  }

  private void take(String directory) throws IOException {
    held.push(RepairChecks.lock(store, TargetLock.inside(directory), run, breaksLocks, progress));
  }

  @Override
  public void requireHeld() throws IOException {
    for (TargetLock lock : held) {
      lock.requireHeld();
    }
  }

  @Override
  public void close() throws IOException {
    while (!held.isEmpty()) {
      held.pop().close();
    }
  }
}
