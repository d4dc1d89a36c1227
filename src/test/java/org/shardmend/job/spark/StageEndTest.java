package org.shardmend.job.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import org.apache.spark.TaskKilledException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.shardmend.testing.SharedSparkJob;

/** When a stage has failed, none of its tasks is at work any more. They run in this process. */
@ExtendWith(SharedSparkJob.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StageEndTest {
  private static final int FIRST = 0;
  private static final int SECOND = 1;

  private static CountDownLatch secondHasBegun;
  private static final AtomicBoolean SECOND_RUNS = new AtomicBoolean();

  @BeforeEach
  void reset() {
    secondHasBegun = new CountDownLatch(1);
    SECOND_RUNS.set(false);
  }

  @Test
  void aTaskThatFailsStopsTheOthersAndTheyHaveEnded(SparkJob job) {
    assertThatThrownBy(
            () ->
                job.run(
                    "Fail",
                    0,
                    List.of(FIRST, SECOND),
                    (task, meter) -> {
                      if (task == SECOND) {
                        moveUntilStopped(meter);
                      }
                      await(secondHasBegun);
                      throw new IOException("broken disk");
                    }))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("broken disk");

    assertThat(SECOND_RUNS).isFalse();
  }

  /** Whatever it is that ends the driver's work on a stage. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  @Test
  void aSinkThatFailsStopsThemToo(SparkJob job) {
    assertThatThrownBy(
            () ->
                job.run(
                    "Take in",
                    0,
                    List.of(FIRST, SECOND),
                    (task, meter) -> {
                      if (task == SECOND) {
                        moveUntilStopped(meter);
                      }
                      await(secondHasBegun);
                      return task;
                    },
                    receipt -> {
                      throw new Killed();
                    }))
        .isInstanceOf(Killed.class);

    assertThat(SECOND_RUNS).isFalse();
  }

  @Test
  void aTaskThatComesToItAfterwardsDoesNothing() {
    RunningTasks tasks = RunningTasks.begin();
    tasks.end();

    assertThatThrownBy(() -> tasks.run(() -> SECOND_RUNS.getAndSet(true)))
        .isInstanceOf(TaskKilledException.class);

    assertThat(SECOND_RUNS).isFalse();
  }

  /** As a copy does; it takes its time to clean up. */
  private static void moveUntilStopped(LongConsumer meter) throws IOException {
    SECOND_RUNS.set(true);
    secondHasBegun.countDown();
    try {
      while (true) {
        meter.accept(1);
        pause(1);
      }
    } finally {
      pause(300);
      SECOND_RUNS.set(false);
    }
  }

  private static void await(CountDownLatch latch) throws IOException {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static void pause(long millis) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
