package org.shardmend.job.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BytesInFlightTest {
  private final BytesInFlight flight = new BytesInFlight(100);

  @Test
  void whatFitsTogetherBeginsAtOnce() throws Exception {
    flight.enter(60);
    flight.enter(40);
  }

  @Test
  void whatDoesNotFitWaitsUntilEnoughIsDone() throws Exception {
    flight.enter(60);
    flight.enter(40);
    CountDownLatch entered = begin(50);

    assertThat(entered.await(200, TimeUnit.MILLISECONDS)).isFalse();
    flight.leave(40);
    assertThat(entered.await(200, TimeUnit.MILLISECONDS)).isFalse();
    flight.leave(60);
    entered.await();
  }

  @Test
  void whatIsLargerThanTheLimitRunsAlone() throws Exception {
    flight.enter(1);
    CountDownLatch entered = begin(Long.MAX_VALUE);

    assertThat(entered.await(200, TimeUnit.MILLISECONDS)).isFalse();
    flight.leave(1);
    entered.await();
  }

  private CountDownLatch begin(long bytes) {
    CountDownLatch entered = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              try {
                flight.enter(bytes);
                entered.countDown();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.setDaemon(true);
    thread.start();
    return entered;
  }
}
