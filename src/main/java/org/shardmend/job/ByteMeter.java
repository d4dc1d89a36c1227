package org.shardmend.job;

import java.io.Serializable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.spark.util.LongAccumulator;

/**
 * Counts the bytes that a stage moves. Where the tasks run in the driver's process the count is
 * live; from other processes it arrives as tasks finish.
 */
final class ByteMeter implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final AtomicLong IN_THIS_PROCESS = new AtomicLong();

  private final LongAccumulator finished;

  ByteMeter(LongAccumulator finished) {
    this.finished = finished;
  }

  /** Where a task reports; called on the executor. */
  LongConsumer ofTask() {
    return bytes -> {
      finished.add(bytes);
      IN_THIS_PROCESS.addAndGet(bytes);
    };
  }

  /** What all tasks of this process have moved since it began. */
  static long inThisProcess() {
    return IN_THIS_PROCESS.get();
  }

  /**
   * What the stage has moved, as far as the driver knows.
   *
   * @param before {@link #inThisProcess()} when the stage began
   */
  long bytes(long before) {
    return Math.max(finished.value(), IN_THIS_PROCESS.get() - before);
  }
}
