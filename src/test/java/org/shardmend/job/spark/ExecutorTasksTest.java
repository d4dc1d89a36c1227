package org.shardmend.job.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.shardmend.testing.SharedSparkJob;

/** Spark's own events, of tasks that do not hear that they are told to stop. */
@ExtendWith(SharedSparkJob.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecutorTasksTest {
  private static CountDownLatch begun;
  private static CountDownLatch mayEnd;

  private final String name = UUID.randomUUID().toString();
  private ExecutorTasks tasks;
  private JavaSparkContext spark;

  @BeforeEach
  void listen(SparkJob job) {
    begun = new CountDownLatch(1);
    mayEnd = new CountDownLatch(1);
    spark = job.spark();
  }

  @AfterEach
  void stopListening() {
    mayEnd.countDown();
    spark.setLocalProperty(ExecutorTasks.NAME, null);
    spark.sc().removeSparkListener(tasks);
  }

  private void listenFor(Duration patience) {
    tasks = new ExecutorTasks(patience);
    spark.sc().addSparkListener(tasks);
    tasks.begin(name);
    spark.setLocalProperty(ExecutorTasks.NAME, name);
  }

  private JavaFutureAction<Void> startDeafTask() throws InterruptedException {
    JavaFutureAction<Void> action =
        spark
            .parallelize(List.of(0), 1)
            .foreachAsync(
                task -> {
                  begun.countDown();
                  waitDeafly();
                });
    begun.await();
    return action;
  }

  private static void waitDeafly() {
    boolean over = false;
    while (!over) {
      try {
        mayEnd.await();
        over = true;
      } catch (InterruptedException toldToStop) {
        // That is what makes it deaf.
        over = false;
      }
    }
  }

  @Test
  void aTaskThatWasGivenUpIsWaitedFor() throws Exception {
    listenFor(Duration.ofMinutes(1));
    JavaFutureAction<Void> action = startDeafTask();
    action.cancel(true);

    Thread waiting = new Thread(this::awaitEnd);
    waiting.start();
    while (waiting.isAlive() && waiting.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(waiting.isAlive()).as("waits while the task runs").isTrue();
    mayEnd.countDown();
    waiting.join();
  }

  private void awaitEnd() {
    try {
      tasks.awaitEnd(name);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void patienceEndsWhenItHangs() throws Exception {
    listenFor(Duration.ofMillis(1));
    startDeafTask().cancel(true);

    tasks.awaitEnd(name);

    assertThat(mayEnd.getCount()).isOne();
  }

  @Test
  void aJobThatIsOverIsNotWaitedFor() throws Exception {
    listenFor(Duration.ofMinutes(1));
    spark.parallelize(List.of(0, 1), 2).foreachAsync(task -> {}).get();

    tasks.awaitEnd(name);
    tasks.forget(name);
  }
}
