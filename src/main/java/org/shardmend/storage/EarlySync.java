package org.shardmend.storage;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Keeps the medium busy while a large file is still being written: syncs it every so many bytes
 * beside the writer, so that the sync that counts has little left to wait for. It promises nothing
 * by itself.
 *
 * <p>A failure is kept: the system reports it once a file, so that a later sync would seem to work.
 */
final class EarlySync {
  /** Bytes written between two syncs; measured with 8 to 64 MiB, the largest was the fastest. */
  static final long STEP_BYTES = 64L << 20;

  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "shardmend-early-sync");
            thread.setDaemon(true);
            return thread;
          });

  /** Makes durable what was written so far. */
  @FunctionalInterface
  interface Sync {
    void run() throws IOException;
  }

  private final Sync sync;
  private Optional<CompletableFuture<Optional<IOException>>> running = Optional.empty();
  private long unsynced;

  EarlySync(Sync sync) {
    this.sync = sync;
  }

  /**
   * Counts bytes that were written, and starts a sync when they are enough and none is running.
   *
   * @throws IOException when the last one failed
   */
  void wrote(long bytes) throws IOException {
    unsynced += bytes;
    if (unsynced >= STEP_BYTES && running.map(CompletableFuture::isDone).orElse(true)) {
      await();
      unsynced = 0;
      running = Optional.of(CompletableFuture.supplyAsync(this::attempt, THREADS));
    }
  }

  /**
   * Waits for the sync that is running, if one is.
   *
   * @throws ClosedByInterruptException when the thread is interrupted; the caller then closes the
   *     file
   * @throws IOException when it failed
   */
  void await() throws IOException {
    if (running.isEmpty()) {
      return;
    }
    Optional<IOException> failure = outcome(running.get());
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  private Optional<IOException> attempt() {
    try {
      sync.run();
      return Optional.empty();
    } catch (IOException failure) {
      return Optional.of(failure);
    }
  }

  private static Optional<IOException> outcome(CompletableFuture<Optional<IOException>> sync)
      throws IOException {
    try {
      return sync.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      ClosedByInterruptException failure = new ClosedByInterruptException();
      failure.initCause(interrupted);
      throw failure;
    } catch (ExecutionException failure) {
      throw new CompletionException(failure.getCause());
    }
  }
}
