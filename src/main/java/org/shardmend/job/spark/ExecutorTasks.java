package org.shardmend.job.spark;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * The tasks that run in executors' processes, as Spark's events tell of them. Spark gives a job up
 * as soon as a task has failed for good or somebody cancels it: it tells the other tasks to stop,
 * and waits for none. {@link RunningTasks} does the same for tasks in the driver's own process.
 */
final class ExecutorTasks extends SparkListener {
  /** The local property that carries a job's name from the thread that starts it to its events. */
  static final String NAME = "shardmend.job";

  private final Duration patience;
  private final Set<String> open = new HashSet<>();
  private final Map<Integer, String> jobs = new HashMap<>();
  private final Map<Integer, String> stages = new HashMap<>();
  private final Map<String, Set<Long>> running = new HashMap<>();

  /**
   * Knows of no task yet.
   *
   * @param patience how long to wait for tasks that were told to stop and do not
   */
  ExecutorTasks(Duration patience) {
    this.patience = patience;
  }

  /** A job of this name begins; called before Spark is asked for it. */
  synchronized void begin(String name) {
    open.add(name);
    running.put(name, new HashSet<>());
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart job) {
    String name = job.properties().getProperty(NAME);
    if (running.containsKey(name)) {
      jobs.put(job.jobId(), name);
    }
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted stage) {
    String name = stage.properties().getProperty(NAME);
    if (running.containsKey(name)) {
      stages.put(stage.stageInfo().stageId(), name);
    }
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart task) {
    Set<Long> ofJob = running.get(stages.get(task.stageId()));
    if (ofJob != null) {
      ofJob.add(task.taskInfo().taskId());
    }
  }

  @Override
  public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
    Set<Long> ofJob = running.get(stages.get(task.stageId()));
    if (ofJob != null) {
      ofJob.remove(task.taskInfo().taskId());
      notifyAll();
    }
  }

  /** Comes after the events of all tasks that were ever started for the job. */
  @Override
  public synchronized void onJobEnd(SparkListenerJobEnd job) {
    open.remove(jobs.remove(job.jobId()));
    notifyAll();
  }

  /**
   * Returns when the job is over and none of its tasks runs, or when patience ends; an executor
   * that hangs does not answer.
   */
  synchronized void awaitEnd(String name) throws InterruptedException {
    long end = System.nanoTime() + patience.toNanos();
    for (long left = patience.toNanos();
        left > 0 && (open.contains(name) || !running.get(name).isEmpty());
        left = end - System.nanoTime()) {
      wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
    }
  }

  /** Nobody asks for this job any more. */
  synchronized void forget(String name) {
    open.remove(name);
    running.remove(name);
    stages.values().removeIf(name::equals);
    jobs.values().removeIf(name::equals);
  }
}
