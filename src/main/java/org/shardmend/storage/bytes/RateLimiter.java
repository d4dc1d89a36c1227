package org.shardmend.storage.bytes;

import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Keeps the tasks of one process together below a number of bytes per second. Each caller is let go
 * when what was taken before it is paid for, so that time spent idle can't be saved up.
 */
public final class RateLimiter {
  /** How a thread waits. */
  @FunctionalInterface
  interface Sleeper {
    /** Waits this long. */
    void sleep(long nanos) throws InterruptedException;
  }

  private static final RateLimiter NONE =
      new RateLimiter(Long.MAX_VALUE, System::nanoTime, TimeUnit.NANOSECONDS::sleep);
  private static final Map<Long, RateLimiter> BY_RATE = new ConcurrentHashMap<>();

  private final long bytesPerSecond;
  private final LongSupplier clock;
  private final Sleeper sleeper;
  private final long start;

  /** When all that was taken so far is paid for, in nanoseconds since the start. */
  private double paid;

  /**
   * @param clock nanoseconds, from any origin
   */
  RateLimiter(long bytesPerSecond, LongSupplier clock, Sleeper sleeper) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.sleeper = sleeper;
    this.start = clock.getAsLong();
  }

  /** No limit. */
  public static RateLimiter none() {
    return NONE;
  }

  /**
   * The limiter of this process for this rate: all that ask for the same rate share it.
   *
   * @param bytesPerSecond at least 1
   */
  public static RateLimiter ofProcess(long bytesPerSecond) {
    if (bytesPerSecond < 1) {
      throw new IllegalArgumentException(
          "A rate must be at least 1 byte per second: " + bytesPerSecond);
    }
    return BY_RATE.computeIfAbsent(
        bytesPerSecond,
        rate -> new RateLimiter(rate, System::nanoTime, TimeUnit.NANOSECONDS::sleep));
  }

  /**
   * Pays for {@code bytes} that were moved: returns when the next may be.
   *
   * @throws InterruptedIOException when the thread is interrupted while it waits; its flag stays
   *     set
   */
  public void take(long bytes) throws InterruptedIOException {
    if (bytesPerSecond == Long.MAX_VALUE) {
      return;
    }
    long wait = reserve(bytes);
    if (wait <= 0) {
      return;
    }
    try {
      sleeper.sleep(wait);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      InterruptedIOException failure =
          new InterruptedIOException("Interrupted while waiting for the rate limit.");
      failure.initCause(interrupted);
      throw failure;
    }
  }

  private synchronized long reserve(long bytes) {
    long now = clock.getAsLong() - start;
    paid =
        Math.max(paid, (double) now)
            + (double) bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    return (long) paid - now;
  }
}
