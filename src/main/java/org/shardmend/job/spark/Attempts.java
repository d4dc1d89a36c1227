package org.shardmend.job.spark;

import java.security.SecureRandom;

/** Numbers for attempts of tasks. */
public final class Attempts {
  private static final SecureRandom RANDOM = new SecureRandom();

  private Attempts() {}

  /**
   * A number that no other attempt has, also none of an earlier run whose tasks may still be alive:
   * Spark's own attempt numbers start over with each application.
   */
  public static long next() {
    return RANDOM.nextLong() >>> 1;
  }
}
