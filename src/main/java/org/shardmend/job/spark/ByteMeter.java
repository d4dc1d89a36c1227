package org.shardmend.job.spark;

import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;
import org.apache.spark.util.LongAccumulator;

/**
 * Counts the bytes that a stage reads of checkpoints. Where the tasks run in the driver's process
 * the count is live; from other processes it arrives as tasks finish.
 */
final class ByteMeter implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Of the stages that run now, by their accumulators' numbers; on the driver alone. */
  private static final Map<Long, AtomicLong> IN_THIS_PROCESS = new ConcurrentHashMap<>();

  private final LongAccumulator finished;

  private ByteMeter(LongAccumulator finished) {
    this.finished = finished;
  }

  /**
   * The meter of a stage that begins; called on the driver.
   *
   * @param finished registered, and of this stage alone
   */
  static ByteMeter begin(LongAccumulator finished) {
    IN_THIS_PROCESS.put(finished.id(), new AtomicLong());
    return new ByteMeter(finished);
  }

  /** Where a task reports, and hears that it is not wanted any more; called on the executor. */
  LongConsumer ofTask() {
    TaskContext task = TaskContext.get();
    AtomicLong live = live();
    return bytes -> {
      // Spark interrupts only those whose work another attempt has done.
      if (task.isInterrupted()) {
        throw new TaskKilledException("it was told to stop");
      }
      finished.add(bytes);
      live.addAndGet(bytes);
    };
  }

  /** What the stage has read, as far as the driver knows. */
  long bytes() {
    return Math.max(finished.value(), live().get());
  }

  /** The stage is over. */
  void end() {
    IN_THIS_PROCESS.remove(finished.id());
  }

  private AtomicLong live() {
    return IN_THIS_PROCESS.getOrDefault(finished.id(), new AtomicLong());
  }
}
