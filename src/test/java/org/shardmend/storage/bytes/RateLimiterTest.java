package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimiterTest {
  private final AtomicLong now = new AtomicLong(12345);
  private final List<Long> sleptMillis = new ArrayList<>();
  private final RateLimiter limiter = new RateLimiter(1000, now::get, this::sleep);

  private void sleep(long nanos) {
    sleptMillis.add(TimeUnit.NANOSECONDS.toMillis(nanos));
    now.addAndGet(nanos);
  }

  @Test
  void bytesArePaidForInTime() throws Exception {
    limiter.take(500);
    limiter.take(250);
    assertThat(sleptMillis).containsExactly(500L, 250L);
  }

  @Test
  void timeThatPassedAnywayCounts() throws Exception {
    limiter.take(500);
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
    limiter.take(100);
    assertThat(sleptMillis).containsExactly(500L, 100L);
  }

  @Test
  void idleTimeIsNotSavedUp() throws Exception {
    now.addAndGet(TimeUnit.SECONDS.toNanos(60));
    limiter.take(1000);
    assertThat(sleptMillis).containsExactly(1000L);
  }

  @Test
  void twoThreadsQueueUp() throws Exception {
    List<Long> waits = new ArrayList<>();
    RateLimiter frozen =
        new RateLimiter(1000, now::get, nanos -> waits.add(TimeUnit.NANOSECONDS.toMillis(nanos)));
    frozen.take(500);
    frozen.take(500);
    assertThat(waits).containsExactly(500L, 1000L);
  }

  @Test
  void theRateIsSharedWithinTheProcess() {
    assertThat(RateLimiter.ofProcess(7)).isSameAs(RateLimiter.ofProcess(7));
    assertThat(RateLimiter.ofProcess(7)).isNotSameAs(RateLimiter.ofProcess(8));
    assertThatThrownBy(() -> RateLimiter.ofProcess(0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anInterruptEndsTheWaitAndStays() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> RateLimiter.ofProcess(1).take(1000))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
