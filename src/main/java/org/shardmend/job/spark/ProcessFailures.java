package org.shardmend.job.spark;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What ends a job that does nothing wrong itself: its process lacks something, memory as a rule, or
 * Spark has stopped under it. Such a run has failed like any other, and running it again resumes.
 */
public final class ProcessFailures {
  private static final String HEAP = "heap";

  /** How Java calls a heap that is full, short of being out of it. */
  private static final String OVERHEAD = "GC overhead limit";

  private static final long MEBIBYTE = 1L << 20;

  /** How Spark answers who asks for something after its end, and who waited at that time. */
  private static final Pattern STOPPED =
      Pattern.compile("stopped SparkContext|SparkContext (?:was shut down|has been shutdown)");

  private ProcessFailures() {}

  /** The end of a job that ran into {@code error} in this process. */
  public static JobException toJobException(Error error) {
    return toJobException(error, error);
  }

  /** The same, when such a thing is {@code failure} or among its causes. */
  public static Optional<JobException> behind(Throwable failure) {
    Set<Throwable> seen = new HashSet<>();
    for (Throwable link = failure; link != null && seen.add(link); link = link.getCause()) {
      if (link instanceof Error error) {
        return Optional.of(toJobException(error, failure));
      }
      if (STOPPED.matcher(String.valueOf(link.getMessage())).find()) {
        return Optional.of(sparkStopped(failure));
      }
    }
    return Optional.empty();
  }

  /** The end of a job whose Spark application has ended before it. */
  static JobException sparkStopped(Throwable failure) {
    return JobException.failed(
        "spark-stopped",
        "Spark has stopped before the work was done: its master is gone or does not answer, or"
            + " somebody has ended the application",
        failure);
  }

  private static JobException toJobException(Error error, Throwable failure) {
    if (error instanceof OutOfMemoryError) {
      return JobException.failed("out-of-memory", outOfMemory(error.getMessage()), failure);
    }
    if (error instanceof StackOverflowError) {
      return JobException.failed(
          "stack-overflow",
          "Something is nested too deeply for a thread's stack. Give threads more:"
              + " SHARDMEND_JAVA_OPTS=-Xss8m",
          failure);
    }
    if (error instanceof LinkageError) {
      return JobException.failed(
          "wrong-libraries",
          "A class is missing, or is not the one that Shardmend was built with: %s. Look at SPARK_HOME, and at what is added to the class path"
              .formatted(error),
          failure);
    }
    return JobException.failed("fatal-error", "Java failed: %s".formatted(error), failure);
  }

  /**
   * What is said when memory has run out in this process.
   *
   * @param reason Java's own words, or null
   */
  private static String outOfMemory(String reason) {
    String why = String.valueOf(reason);
    if (!why.contains(HEAP) && !why.contains(OVERHEAD)) {
      return "Out of memory besides the heap: %s. Give the process more, or start fewer"
          .formatted(why);
    }
    long heap = Runtime.getRuntime().maxMemory();
    return "Out of memory: the heap has %d MiB. Give it more, such as SHARDMEND_HEAP=%s"
        .formatted(heap / MEBIBYTE, twice(heap));
  }

  /** What is said when memory has run out in an executor's process. */
  static JobException ofExecutor(String stage, Throwable failure) {
    return JobException.failed(
        "out-of-memory",
        "%s: an executor is out of memory. Give executors more, such as --conf spark.executor.memory=4g"
            .formatted(stage),
        failure);
  }

  /** The next power of two from twice as much on, as Java's options take it. */
  private static String twice(long bytes) {
    long megabytes = Math.max(1, 2 * bytes / MEBIBYTE);
    long power = Long.highestOneBit(megabytes);
    long rounded = megabytes == power ? power : 2 * power;
    return rounded >= 1024 ? rounded / 1024 + "g" : rounded + "m";
  }
}
