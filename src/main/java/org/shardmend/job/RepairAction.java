package org.shardmend.job;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.audit.RunRow;
import org.shardmend.storage.Location;

/** Repairs a checkpoint, into another directory or in place. */
public final class RepairAction {
  private final SparkJob job;
  private final RepairRequest request;
  private final RunRecord run;

  /** An action on the request's checkpoint, on {@code job}'s executors. */
  public RepairAction(SparkJob job, RepairRequest request) {
    this.job = job;
    this.request = request;
    this.run = new RunRecord(request.plan(), job.applicationId());
  }

  /**
   * Repairs.
   *
   * @throws JobException USAGE when a path or an option is wrong, REFUSED when the checkpoint can't
   *     be repaired safely, FAILED when something failed; running again resumes. Nothing is visible
   *     then.
   */
  public RepairResult execute() throws JobException {
    request.requireMeaningful();
    Optional<Location> output = request.output();
    try {
      return output.isPresent()
          ? OutputRepair.run(job, request, run, output.get())
          : InPlaceRepair.run(job, request, run);
    } catch (JobException e) {
      recordFailure(e);
      throw e;
    }
  }

  /** A refused or failed run has its row where the user has named an audit. */
  private void recordFailure(JobException failure) {
    if (request.audit().isEmpty() || failure.kind() == JobException.Kind.USAGE) {
      return;
    }
    String output = request.output().map(Location::toString).orElse("");
    RunRow row = run.failure(failure, output, request.listing());
    try (AuditTrail audit = AuditTrail.open(request.audit().get(), run.id(), job.hadoop())) {
      audit.prepare(row);
      audit.append(row);
    } catch (IOException e) {
      failure.addSuppressed(e);
      job.progress().message("The audit could not be written: " + e.getMessage());
    }
  }
}
