package org.shardmend.job.spark;

import java.io.IOException;
import java.io.Serializable;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskKilledException;

/**
 * The tasks of a stage that run in the driver's process. Spark gives a job up as soon as a task has
 * failed or somebody cancels it: it tells the other tasks to stop, and waits for none. What they
 * still write would be in the way of whoever cleans up behind them, or runs again.
 */
final class RunningTasks implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final UUID THIS_PROCESS = UUID.randomUUID();

  /** Of the stages that are not over, by their ids; on the driver alone. */
  private static final Map<UUID, Count> COUNTS = new ConcurrentHashMap<>();

  private final UUID driver = THIS_PROCESS;
  private final UUID stage = UUID.randomUUID();

  private RunningTasks() {}

  /** What a task does. */
  @FunctionalInterface
  interface Work<R> {
    R run() throws IOException;
  }

  /** How many run, and whether others may begin. */
  private static final class Count {
    private int running;
    private boolean over;

    synchronized boolean enter() {
      if (over) {
        return false;
      }
      running++;
      return true;
    }

    synchronized void leave() {
      running--;
      notifyAll();
    }

    synchronized void end() throws InterruptedException {
      over = true;
      long end = System.nanoTime() + SparkJob.PATIENCE.toNanos();
      for (long left = SparkJob.PATIENCE.toNanos();
          running > 0 && left > 0;
          left = end - System.nanoTime()) {
        wait(left / 1_000_000 + 1);
      }
    }
  }

  /** Those of a stage that begins; called on the driver. */
  static RunningTasks begin() {
    RunningTasks tasks = new RunningTasks();
    COUNTS.put(tasks.stage, new Count());
    return tasks;
  }

  /**
   * Does a task's work, on an executor.
   *
   * @throws TaskKilledException when the stage is over
   */
  <R> R run(Work<R> work) throws IOException {
    if (!driver.equals(THIS_PROCESS)) {
      // An executor speaks as the driver does, whatever its host's locale.
      Locale.setDefault(Locale.ROOT);
      return work.run();
    }
    Count count = COUNTS.get(stage);
    if (count == null || !count.enter()) {
      throw new TaskKilledException("its stage is over");
    }
    try {
      return work.run();
    } finally {
      count.leave();
    }
  }

  /**
   * No other begins from now on; returns when none runs any more, also in an interrupted thread.
   * One that hears nothing for half a minute is left behind.
   */
  void end() {
    Count count = COUNTS.remove(stage);
    if (count == null) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      count.end();
    } catch (InterruptedException again) {
      interrupted = true;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
