package org.shardmend.storage;

import java.io.IOException;

/**
 * Keeps the medium busy while a large file is still being written: syncs it every so many bytes
 * beside the writer, so that the sync that counts has little left to wait for. It promises nothing
 * by itself.
 */
final class EarlySync {
  /** Bytes written between two syncs; measured with 8 to 64 MiB, the largest was the fastest. */
  static final long STEP_BYTES = 64L << 20;

  private final BackgroundWork.Work sync;
  private final BackgroundWork beside = new BackgroundWork();
  private long unsynced;

  /**
   * @param sync makes durable what was written so far
   */
  EarlySync(BackgroundWork.Work sync) {
    this.sync = sync;
  }

  /**
   * Counts bytes that were written, and starts a sync when they are enough and none is running.
   *
   * @throws IOException when the last one failed
   */
  void wrote(long bytes) throws IOException {
    unsynced += bytes;
    if (unsynced >= STEP_BYTES && !beside.isBusy()) {
      beside.start(sync);
      unsynced = 0;
    }
  }

  /**
   * Waits for the sync that is running, if one is.
   *
   * @throws java.nio.channels.ClosedByInterruptException when the thread is interrupted; the caller
   *     then closes the file
   * @throws IOException when it failed
   */
  void await() throws IOException {
    beside.await();
  }
}
