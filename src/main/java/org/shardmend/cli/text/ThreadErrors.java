package org.shardmend.cli.text;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Notices that an error has ended a thread besides the command's own, until it is closed. Spark has
 * threads whose end it does not notice itself, and everybody would wait for them for ever.
 */
public final class ThreadErrors implements AutoCloseable {
  private final Thread.UncaughtExceptionHandler before;

  private ThreadErrors(Thread.UncaughtExceptionHandler before) {
    this.before = before;
  }

  /**
   * Begins.
   *
   * @param end told the first error, in the thread that it ends
   */
  public static ThreadErrors watch(Consumer<Error> end) {
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    AtomicBoolean told = new AtomicBoolean();
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, failure) -> {
          if (failure instanceof Error error) {
            if (!told.getAndSet(true)) {
              end.accept(error);
            }
          } else if (before != null) {
            before.uncaughtException(thread, failure);
          } else {
            Log.error("The thread %s has ended: %s".formatted(thread.getName(), failure), failure);
          }
        });
    return new ThreadErrors(before);
  }

  @Override
  public void close() {
    Thread.setDefaultUncaughtExceptionHandler(before);
  }
}
