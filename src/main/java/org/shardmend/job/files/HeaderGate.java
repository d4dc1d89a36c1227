package org.shardmend.job.files;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.FileEntry;

/**
 * Lets one task of a process at a time hold large headers: a few headers of 100 MB at once would
 * need a few times the heap of one. A task's turn begins before it reads its first large header and
 * ends with the task, however that ends; until then it may read as many as it needs. Tasks get
 * their turns in the order in which they came.
 */
public final class HeaderGate {
  /** A header of so many bytes, its length included, is large. */
  static final int LARGE_BYTES = 8 << 20;

  private static final long LOOK_MILLIS = 200;
  private static final long NOBODY = -1;
  private static final Semaphore TURN = new Semaphore(1, true);

  /** The attempt whose turn it is; only an attempt itself sets its own number. */
  private static volatile long holder = NOBODY;

  private HeaderGate() {}

  /**
   * Waits for this task's turn, unless the header is small or the turn has come already. On the
   * driver, which reads one header after the other, there is nothing to wait for.
   *
   * @param headerBytes what is going to be read: 8 + N
   * @throws InterruptedIOException when the task is given up meanwhile
   */
  public static void enter(long headerBytes) throws InterruptedIOException {
    TaskContext task = TaskContext.get();
    if (headerBytes < LARGE_BYTES || task == null || holder == task.taskAttemptId()) {
      return;
    }
    await(task);
    holder = task.taskAttemptId();
    TaskCompletionListener leave =
        ended -> {
          holder = NOBODY;
          TURN.release();
        };
    task.addTaskCompletionListener(leave);
  }

  /** Not every task that is given up is interrupted: it also looks whether it still is wanted. */
  private static void await(TaskContext task) throws InterruptedIOException {
    try {
      while (!TURN.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (task.isInterrupted()) {
          throw new InterruptedIOException("Given up while waiting to read a large header.");
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      InterruptedIOException failure =
          new InterruptedIOException("Interrupted while waiting to read a large header.");
      failure.initCause(interrupted);
      throw failure;
    }
  }

  /** The same files; whoever reads as much as a large header at once waits for its turn. */
  static CheckpointFiles before(CheckpointFiles files) {
    return new Gated(files);
  }

  private record Gated(CheckpointFiles files) implements CheckpointFiles {
    @Override
    public String location() {
      return files.location();
    }

    @Override
    public List<FileEntry> list(String directory) throws IOException {
      return files.list(directory);
    }

    @Override
    public byte[] readPrefix(String name, int maxBytes) throws IOException {
      return files.readPrefix(name, maxBytes);
    }

    @Override
    public byte[] read(String name, long offset, int bytes) throws IOException {
      enter(bytes);
      return files.read(name, offset, bytes);
    }
  }
}
