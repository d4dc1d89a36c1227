package org.shardmend.job.audit;

import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.shardmend.audit.RunRow;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.Location;

/** The rows of runs that were refused, or failed. */
public final class FailedRuns {
  private FailedRuns() {}

  /**
   * Gives a run its row.
   *
   * @param root the audit's directory
   * @param target what the run was to make
   * @param catalog the tables that get the row, too
   * @return what kept it from being written; it was told to the user
   */
  public static Optional<Exception> record(
      SparkJob job, Location root, Location target, Optional<AuditCatalog> catalog, RunRow row) {
    try {
      AuditTrail.appendAlone(root, row, target, job.hadoop());
      if (catalog.isPresent()) {
        catalog.get().append(root, Set.of(row.runId()));
      }
      return Optional.empty();
    } catch (IOException | JobException e) {
      job.progress().message("The audit could not be written: " + e.getMessage());
      return Optional.of(e);
    }
  }
}
