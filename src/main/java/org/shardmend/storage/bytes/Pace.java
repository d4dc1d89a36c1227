package org.shardmend.storage.bytes;

import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * How fast bytes may move, and who is told of it.
 *
 * @param limiter the limit
 * @param progress told the number of bytes of each piece that was read; an unchecked exception that
 *     it throws ends the work, which is how a task that was killed stops
 */
public record Pace(RateLimiter limiter, LongConsumer progress) {

  /** No limit, and nobody is told. */
  public static Pace unlimited() {
    return new Pace(RateLimiter.none(), bytes -> {});
  }

  void moved(long bytes) throws IOException {
    progress.accept(bytes);
    limiter.take(bytes);
  }
}
