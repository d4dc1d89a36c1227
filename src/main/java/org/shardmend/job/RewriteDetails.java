package org.shardmend.job;

import java.time.Duration;

/**
 * What a shard's receipt carries for the audit besides the protocol's own members.
 *
 * @param nanos how long the task took, in nanoseconds
 * @param executor where it ran
 */
record RewriteDetails(long nanos, String executor) {
  private static final char SEPARATOR = ' ';

  String toText() {
    return nanos + "" + SEPARATOR + executor;
  }

  static RewriteDetails parse(String text) {
    int space = text.indexOf(SEPARATOR);
    return new RewriteDetails(Long.parseLong(text.substring(0, space)), text.substring(space + 1));
  }

  Duration time() {
    return Duration.ofNanos(nanos);
  }
}
