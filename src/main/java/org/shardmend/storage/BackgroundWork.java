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
 * One piece of work at a time, done beside the thread that asks for it.
 *
 * <p>A failure is kept: the system reports a failed write or sync once a file, so that a later one
 * would seem to work.
 */
final class BackgroundWork {
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "shardmend-beside");
            thread.setDaemon(true);
            return thread;
          });

  /** Something that takes a while. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException;
  }

  private Optional<CompletableFuture<Optional<IOException>>> last = Optional.empty();

  /** Whether a piece of work is not done yet. */
  boolean isBusy() {
    return last.isPresent() && !last.get().isDone();
  }

  /**
   * Waits for the last piece of work, then starts the next.
   *
   * @throws IOException as {@link #await}
   */
  void start(Work work) throws IOException {
    await();
    last = Optional.of(CompletableFuture.supplyAsync(() -> failureOf(work), THREADS));
  }

  /**
   * Waits for the last piece of work.
   *
   * @throws ClosedByInterruptException when the thread is interrupted; the caller then closes the
   *     file
   * @throws IOException when the last piece has failed
   */
  void await() throws IOException {
    if (last.isEmpty()) {
      return;
    }
    // A future that is done is given without a look at this.
    if (Thread.currentThread().isInterrupted()) {
      throw new ClosedByInterruptException();
    }
    try {
      Optional<IOException> failure = last.get().get();
      if (failure.isPresent()) {
        throw failure.get();
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      ClosedByInterruptException failure = new ClosedByInterruptException();
      failure.initCause(interrupted);
      throw failure;
    } catch (ExecutionException failure) {
      throw new CompletionException(failure.getCause());
    }
  }

  /** Waits until nothing runs, in an interrupted thread, too, and whatever becomes of it. */
  void settle() {
    last.ifPresent(work -> work.handle((failure, thrown) -> failure).join());
  }

  private static Optional<IOException> failureOf(Work work) {
    try {
      work.run();
      return Optional.empty();
    } catch (IOException failure) {
      return Optional.of(failure);
    }
  }
}
