package org.shardmend.job;

import java.io.IOException;

/** What a failed stage says to people: the task's own words, not Spark's. */
final class TaskFailures {
  private static final String STACK = "\n\tat ";

  private TaskFailures() {}

  static JobException toJobException(String stage, Exception failure) {
    for (Throwable link = failure; link != null; link = link.getCause()) {
      if (link instanceof ShardTaskException task) {
        return JobException.failed(task.code(), task.shard(), task.getMessage(), failure);
      }
      if (link instanceof IOException storage) {
        return StorageFailures.toJobException(storage);
      }
    }
    return JobException.failed(
        "stage-failed", "%s failed: %s".formatted(stage, reason(failure)), failure);
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
