package org.shardmend.testing;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Ends this process as a power cut would: by SIGKILL, with no word to anybody. */
public final class SelfKill {
  private SelfKill() {}

  /** Does not return. */
  public static void now() {
    try {
      String self = Long.toString(ProcessHandle.current().pid());
      new ProcessBuilder("kill", "-KILL", self).start().waitFor();
      TimeUnit.MINUTES.sleep(1);
    } catch (IOException e) {
      throw new IllegalStateException("kill can't be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("This process should be dead");
  }
}
