package org.shardmend.job.repair;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunRow;
import org.shardmend.job.audit.AuditCatalog;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.audit.FailedRuns;
import org.shardmend.job.audit.StagedRuns;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.LoggedRun;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.Manifest;

/** Repairs a checkpoint, into another directory or in place. */
public final class RepairAction {
  private final SparkJob job;
  private final RepairRequest request;
  private final RunRecord run;

  /** An action on the request's checkpoint, on {@code job}'s executors. */
  public RepairAction(SparkJob job, RepairRequest request) {
    this.job = job.apart();
    this.request = request;
    this.run =
        new RunRecord(
            request.run().orElseGet(RunRecord::nextId), request.plan(), job.applicationId());
  }

  /**
   * Repairs.
   *
   * @throws JobException USAGE when a path or an option is wrong, REFUSED when the checkpoint can't
   *     be repaired safely, FAILED when something failed; running again resumes. Nothing is visible
   *     then.
   */
  public RepairResult execute() throws JobException {
    RepairResult result = executeAmongOthers();
    if (result.outcome() == RepairResult.Outcome.NOTHING_TO_DO) {
      return result;
    }
    AfterPublication after = new AfterPublication(job.progress(), result.output());
    after.run(() -> StagedRuns.settleDead(auditRoot(), Set.of(target()), job.hadoop()));
    return result.with(after.warnings());
  }

  /** As {@link #execute}, but for what a sweep does once for all its repairs. */
  @SuppressWarnings("try") // The resource acts by being open.
  public RepairResult executeAmongOthers() throws JobException {
    request.requireMeaningful();
    Optional<AuditCatalog> catalog =
        request.auditTable().map(tables -> new AuditCatalog(job, tables));
    if (catalog.isPresent()) {
      catalog.get().create();
    }
    RepairResult result;
    try (LoggedRun logged = LoggedRun.of(run.id())) {
      result = repair();
    } catch (JobException e) {
      recordFailure(e, catalog);
      throw e;
    }
    AfterPublication after = new AfterPublication(job.progress(), result.output());
    if (catalog.isPresent() && result.outcome() == RepairResult.Outcome.DONE) {
      after.run(() -> catalog.get().append(auditRoot(), runs()));
    }
    return result.with(after.warnings());
  }

  private RepairResult repair() throws JobException {
    Optional<Location> output = request.output();
    return output.isPresent()
        ? OutputRepair.run(job, request, run, output.get())
        : InPlaceRepair.run(job, request, run);
  }

  private Location target() {
    return request.output().orElseGet(() -> request.plan().checkpoint());
  }

  private Location auditRoot() {
    return request.audit().orElseGet(() -> target().child(AuditPlaces.INSIDE));
  }

  /** This run, and the one that made the target: an earlier run that was stopped behind that. */
  private Set<RunId> runs() throws JobException {
    Set<RunId> runs = new HashSet<>(Set.of(run.id()));
    try (Store store = new CheckpointAccess(target(), job.hadoop()).open()) {
      Manifest.read(store, target().path())
          .filter(manifest -> RunId.isRunId(manifest.runId()))
          .ifPresent(manifest -> runs.add(new RunId(manifest.runId())));
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
    return runs;
  }

  /** A refused or failed run has its row where the user has named an audit. */
  private void recordFailure(JobException failure, Optional<AuditCatalog> catalog) {
    if (request.audit().isEmpty() || failure.kind() == JobException.Kind.USAGE) {
      return;
    }
    String output = request.output().map(Location::toString).orElse("");
    RunRow row =
        run.failure(failure, output, request.listing(), ActionCounts.NONE, job.bytesRead());
    FailedRuns.record(job, request.audit().get(), target(), catalog, row)
        .ifPresent(failure::addSuppressed);
  }
}
