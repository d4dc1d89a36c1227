package org.shardmend.storage;

import java.io.IOException;
import org.shardmend.storage.bytes.InPlaceScenario;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.testing.SelfKill;

/**
 * A process of its own that repairs the {@link InPlaceScenario} in place, undoes it again, and
 * kills itself with SIGKILL at a chosen step; it exits with 0 when there is no such step.
 */
public final class KilledRepair {
  private KilledRepair() {}

  /**
   * Runs.
   *
   * @param args the checkpoint, and the number of the step to die at, from 0
   */
  public static void main(String[] args) throws IOException {
    Store store = new LocalStore();
    StepListener killer = killerAt(Integer.parseInt(args[1]));
    new InPlaceScenario(store, args[0]).prepare(killer);
    Journal.of(store, args[0], killer).finish(1);
    Journal.of(store, args[0], killer).rollback(1);
  }

  private static StepListener killerAt(int step) {
    int[] count = {0};
    return reached -> {
      if (count[0]++ == step) {
        SelfKill.now();
      }
    };
  }
}
