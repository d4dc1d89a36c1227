package org.shardmend.job.spark;

import java.io.IOException;
import java.util.regex.Pattern;

/** What a failed stage says to people: the task's own words, not Spark's. */
final class TaskFailures {
  private static final String STACK = "\n\tat ";

  /** How Spark tells of a task's error that could not travel, and of an executor that it ended. */
  private static final Pattern OUT_OF_MEMORY =
      Pattern.compile("OutOfMemoryError|(?:code|status):? 52\\b");

  /** Which processes run the tasks. */
  enum Processes {
    THE_DRIVERS_OWN,
    EXECUTORS
  }

  private TaskFailures() {}

  /**
   * The failure of a stage.
   *
   * @param stage its description
   * @param failure as Spark reports it
   * @param tasks where its tasks ran
   */
  static JobException toJobException(String stage, Exception failure, Processes tasks) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link instanceof ShardTaskException task) {
        return JobException.failed(task.code(), task.shard(), task.getMessage(), failure);
      }
      if (link instanceof IOException storage) {
        return StorageFailures.toJobException(storage);
      }
    }
    return switch (tasks) {
      case THE_DRIVERS_OWN ->
          ProcessFailures.behind(failure).orElseGet(() -> unexplained(stage, failure));
      case EXECUTORS ->
          OUT_OF_MEMORY.matcher(messages(failure)).find()
              ? ProcessFailures.ofExecutor(stage, failure)
              : unexplained(stage, failure);
    };
  }

  private static JobException unexplained(String stage, Exception failure) {
    return JobException.failed(
        "stage-failed", "%s failed: %s".formatted(stage, reason(failure)), failure);
  }

  private static String messages(Throwable failure) {
    StringBuilder all = new StringBuilder();
    for (Throwable link = failure; link != null; link = link.getCause()) {
      all.append(link).append('\n');
    }
    return all.toString();
  }

  private static String reason(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    String message = String.valueOf(last.getMessage());
    int trace = message.indexOf(STACK);
    return trace < 0 ? message : message.substring(0, trace);
  }
}
