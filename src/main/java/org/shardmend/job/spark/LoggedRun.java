package org.shardmend.job.spark;

import java.util.Optional;
import org.shardmend.audit.RunId;
import org.slf4j.MDC;

/**
 * A run whose id stands in every line that this thread logs, until it is closed; then the id that
 * stood there before does. Spark's tasks of this thread's stages log with it, too.
 */
public final class LoggedRun implements AutoCloseable {
  /** The name under which layouts of log lines know the id. */
  static final String KEY = "run_id";

  private final Optional<String> before;

  private LoggedRun(Optional<String> before) {
    this.before = before;
  }

  /** Begins. */
  public static LoggedRun of(RunId run) {
    return of(run.value());
  }

  /**
   * Begins with an id that another thread logs with.
   *
   * @param id empty for none
   */
  static LoggedRun of(String id) {
    LoggedRun logged = new LoggedRun(Optional.ofNullable(MDC.get(KEY)));
    set(id);
    return logged;
  }

  /** The id that this thread logs with; empty when it has none. */
  static String current() {
    return Optional.ofNullable(MDC.get(KEY)).orElse("");
  }

  private static void set(String id) {
    if (id.isEmpty()) {
      MDC.remove(KEY);
    } else {
      MDC.put(KEY, id);
    }
  }

  @Override
  public void close() {
    set(before.orElse(""));
  }
}
