package org.shardmend.storage.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Does one thing for each entry, in a few threads, until one fails. */
final class EntryPool {
  /** What is done. */
  @FunctionalInterface
  interface Work {
    /** Does it for one entry. */
    void run(JournalEntry entry) throws IOException;
  }

  private final int threads;

  EntryPool(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException(
          "At least one thread is needed, not %d.".formatted(threads));
    }
    this.threads = threads;
  }

  /**
   * Does it, and returns when no thread works any more. After a failure no other entry is begun,
   * but what was begun is ended, not interrupted.
   *
   * @throws IOException the first failure; those of the same moment are suppressed in it
   */
  void forEach(List<JournalEntry> entries, Work work) throws IOException {
    if (threads == 1 || entries.size() < 2) {
      for (JournalEntry entry : entries) {
        work.run(entry);
      }
      return;
    }
    AtomicBoolean failed = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(Math.min(threads, entries.size()));
    try {
      List<Future<?>> results = new ArrayList<>();
      for (JournalEntry entry : entries) {
        results.add(pool.submit(() -> runUnlessFailed(entry, work, failed)));
      }
      join(results);
    } finally {
      pool.shutdown();
    }
  }

  private static Void runUnlessFailed(JournalEntry entry, Work work, AtomicBoolean failed)
      throws IOException {
    if (failed.get()) {
      return null;
    }
    try {
      work.run(entry);
      return null;
    } catch (IOException | RuntimeException | Error failure) {
      failed.set(true);
      throw failure;
    }
  }

  private static void join(List<Future<?>> results) throws IOException {
    List<Throwable> failures = new ArrayList<>();
    boolean interrupted = false;
    for (Future<?> result : results) {
      while (true) {
        try {
          result.get();
          break;
        } catch (ExecutionException failure) {
          failures.add(failure.getCause());
          break;
        } catch (InterruptedException wait) {
          // What was begun in a shard is ended there.
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!failures.isEmpty()) {
      throwFirst(failures);
    }
  }

  private static void throwFirst(List<Throwable> failures) throws IOException {
    Throwable first = failures.get(0);
    failures.stream().skip(1).filter(other -> other != first).forEach(first::addSuppressed);
    if (first instanceof IOException failure) {
      throw failure;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
    if (first instanceof Error failure) {
      throw failure;
    }
    throw new IllegalStateException(first);
  }
}
