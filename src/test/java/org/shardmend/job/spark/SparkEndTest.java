package org.shardmend.job.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.shardmend.testing.SharedSparkJob;

/** Tasks without memory, and Spark's own end, are failures of a stage: nothing waits, or exits. */
@ExtendWith(SharedSparkJob.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SparkEndTest {
  private static CountDownLatch begun;
  private static CountDownLatch stopped;

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** By itself Spark ends the process with 52 then. */
  @Test
  void aTaskThatIsOutOfMemoryFailsItsStage(SparkJob job) {
    JobException failure =
        catchThrowableOfType(
            JobException.class,
            () ->
                job.run(
                    "Fill the heap",
                    0,
                    List.of(1, 2),
                    (task, meter) -> {
                      throw new OutOfMemoryError("Java heap space");
                    }));

    assertThat(failure.kind()).isEqualTo(JobException.Kind.FAILED);
    assertThat(failure.code()).isEqualTo("out-of-memory");
    assertThat(failure).hasMessageContaining("SHARDMEND_HEAP=");
  }

  @Test
  void sparkThatStopsInTheMiddleOfAStageFailsIt(SparkJob job) {
    begun = new CountDownLatch(1);
    stopped = new CountDownLatch(1);
    Thread end =
        new Thread(
            () -> {
              await(begun);
              job.close();
              stopped.countDown();
            });
    end.start();

    assertThatThrownBy(
            () ->
                job.run(
                    "Wait",
                    0,
                    List.of(1),
                    (task, meter) -> {
                      begun.countDown();
                      await(stopped);
                      return task;
                    }))
        .isInstanceOfSatisfying(
            JobException.class, e -> assertThat(e.code()).isEqualTo("spark-stopped"));
  }

  @Test
  void aStageAfterSparksEndFails(SparkJob job) {
    job.close();

    assertThatThrownBy(() -> job.run("Nothing", 0, List.of(1), (task, meter) -> task))
        .isInstanceOfSatisfying(
            JobException.class, e -> assertThat(e.code()).isEqualTo("spark-stopped"));
  }

  @Test
  void aHeapUnderSparksLeastSizeIsNamedWithThatSize(SparkJob job) {
    job.close();
    System.setProperty("spark.testing.memory", String.valueOf(100L << 20));
    try {
      assertThatThrownBy(() -> SharedSparkJob.withProgress(Progress.SILENT))
          .isInstanceOfSatisfying(
              JobException.class,
              e -> {
                assertThat(e.kind()).isEqualTo(JobException.Kind.USAGE);
                assertThat(e.code()).isEqualTo("heap-too-small");
                assertThat(e).hasMessageContaining("450 MiB").hasMessageContaining("512m");
              });
    } finally {
      System.clearProperty("spark.testing.memory");
    }
  }
}
