package org.shardmend.job;

import java.time.Duration;

/**
 * What a shard's receipt carries besides the protocol's own members: for the audit, and for a later
 * run that finds the shard complete.
 *
 * @param nanos how long the task took, in nanoseconds
 * @param sourceModifiedMillis when the source shard had last been written, in milliseconds since
 *     1970-01-01T00:00:00Z: what was made of it counts only while that is so
 * @param executor where it ran
 */
record RewriteDetails(long nanos, long sourceModifiedMillis, String executor) {
  private static final String SEPARATOR = " ";
  private static final int PARTS = 3;

  String toText() {
    return nanos + SEPARATOR + sourceModifiedMillis + SEPARATOR + executor;
  }

  static RewriteDetails parse(String text) {
    String[] parts = text.split(SEPARATOR, PARTS);
    return new RewriteDetails(Long.parseLong(parts[0]), Long.parseLong(parts[1]), parts[2]);
  }

  Duration time() {
    return Duration.ofNanos(nanos);
  }
}
