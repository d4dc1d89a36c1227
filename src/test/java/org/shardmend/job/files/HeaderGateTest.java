package org.shardmend.job.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaFutureAction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.testing.SharedSparkJob;

/** One task of a process at a time holds large headers. The tasks run in this process. */
@ExtendWith(SharedSparkJob.class)
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeaderGateTest {
  private static final List<Integer> TASKS = List.of(0, 1, 2, 3, 4, 5);

  /** Tasks between their first large header and their end, and the most there ever were. */
  private static final AtomicInteger INSIDE = new AtomicInteger();

  private static final AtomicInteger MOST = new AtomicInteger();
  private static final CyclicBarrier BOTH = new CyclicBarrier(2);

  @Test
  void tasksHoldLargeHeadersOneAfterTheOtherEachAsManyAsItNeeds(SparkJob job) throws Exception {
    MOST.set(0);
    job.run("Hold large headers", 0, TASKS, (task, meter) -> holdTwo(task));
    assertThat(MOST).hasValue(1);
  }

  private static Integer holdTwo(int task) throws IOException {
    HeaderGate.enter(HeaderGate.LARGE_BYTES);
    TaskContext.get()
        .addTaskCompletionListener(
            (org.apache.spark.util.TaskCompletionListener) ended -> INSIDE.decrementAndGet());
    MOST.accumulateAndGet(INSIDE.incrementAndGet(), Math::max);
    pause(20);
    HeaderGate.enter(100_000_008);
    pause(20);
    return task;
  }

  @Test
  void smallHeadersWaitForNobody(SparkJob job) throws Exception {
    job.run(
        "Hold small headers",
        0,
        List.of(0, 1),
        (task, meter) -> {
          HeaderGate.enter(HeaderGate.LARGE_BYTES - 1);
          meet();
          return task;
        });
    assertThat(BOTH.isBroken()).isFalse();
  }

  /** Returns when both tasks are here. */
  private static void meet() throws IOException {
    try {
      BOTH.await(1, TimeUnit.MINUTES);
    } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
      throw new IOException("The other task does not come", e);
    }
  }

  @Test
  void aTaskThatFailsGivesItsTurnBack(SparkJob job) throws Exception {
    assertThatThrownBy(
            () ->
                job.run(
                    "Fail",
                    0,
                    TASKS,
                    (task, meter) -> {
                      HeaderGate.enter(HeaderGate.LARGE_BYTES);
                      throw new IOException("broken header " + task);
                    }))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("broken header");
    tasksHoldLargeHeadersOneAfterTheOtherEachAsManyAsItNeeds(job);
  }

  @Test
  void tasksThatAreGivenUpLeaveTheQueue(SparkJob job) throws Exception {
    int before = STARTED.get();
    JavaFutureAction<List<Integer>> endless =
        job.spark()
            .parallelize(TASKS, TASKS.size())
            .map(HeaderGateTest::holdForEver)
            .collectAsync();
    while (STARTED.get() < before + 2) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
    endless.cancel(true);
    tasksHoldLargeHeadersOneAfterTheOtherEachAsManyAsItNeeds(job);
  }

  private static final AtomicInteger STARTED = new AtomicInteger();

  private static Integer holdForEver(int task) throws IOException {
    STARTED.incrementAndGet();
    HeaderGate.enter(HeaderGate.LARGE_BYTES);
    while (!TaskContext.get().isInterrupted()) {
      pause(10);
    }
    return task;
  }

  private static void pause(long millis) throws IOException {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
