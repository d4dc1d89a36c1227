package org.shardmend.job.repair;

import java.time.Duration;

/**
 * What a shard's receipt carries besides the protocol's own members: for the audit, and for a later
 * run that finds the shard complete.
 *
 * @param nanos how long the task took, in nanoseconds
 * @param source the source shard's {@link org.shardmend.checkpoint.FileStamp}, as text: what was
 *     made of it counts only while it has that
 * @param executor where it ran
 */
record RewriteDetails(long nanos, String source, String executor) {
  private static final String SEPARATOR = " ";
  private static final int PARTS = 3;

  String toText() {
    return nanos + SEPARATOR + source + SEPARATOR + executor;
  }

  static RewriteDetails parse(String text) {
    String[] parts = text.split(SEPARATOR, PARTS);
    return new RewriteDetails(Long.parseLong(parts[0]), parts[1], parts[2]);
  }

  Duration time() {
    return Duration.ofNanos(nanos);
  }
}
