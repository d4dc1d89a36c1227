package org.shardmend.storage;

import java.io.IOException;

/** Calls that must work in an interrupted thread, too: HDFS refuses to do anything in such. */
final class CleanUp {
  /** One such call. */
  @FunctionalInterface
  interface Step {
    /** Does it. */
    void run() throws IOException;
  }

  private CleanUp() {}

  /** Runs {@code step} with the thread's interrupt flag cleared, and sets it again afterwards. */
  static void run(Step step) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      step.run();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
