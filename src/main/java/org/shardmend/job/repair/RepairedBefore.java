package org.shardmend.job.repair;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Manifest;

/** Tells a result that an earlier run has published from anything else at its place. */
public final class RepairedBefore {
  private RepairedBefore() {}

  /**
   * Whether the repaired form of just this plan is at {@code output}.
   *
   * @return false when nothing is there
   * @throws JobException FAILED when something else is there
   */
  public static boolean look(Store store, Location output, PlannedCheckpoint planned)
      throws JobException, IOException {
    if (store.stat(output.path()).isEmpty()) {
      return false;
    }
    Optional<Manifest> manifest = Manifest.read(store, output.path());
    if (manifest.isEmpty()) {
      throw JobException.failed(
          "output-exists",
          "%s is there already and was not made by a repair; nothing was written. Remove it, or choose another place."
              .formatted(output),
          null);
    }
    boolean same =
        manifest.get().source().equals(planned.location().toString())
            && manifest.get().fingerprint().equals(planned.plan().fingerprint());
    if (!same) {
      throw JobException.failed(
          "output-outdated",
          "%s was repaired from %s in another state, or by other rules, than now; nothing was written. Remove it when nothing loads it any more, then run again."
              .formatted(output, manifest.get().source()),
          null);
    }
    return true;
  }
}
