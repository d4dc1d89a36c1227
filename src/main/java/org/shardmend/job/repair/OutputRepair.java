package org.shardmend.job.repair;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.shardmend.audit.RunId;
import org.shardmend.audit.ShardRow;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.audit.AuditTrail;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.Planner;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.Nonce;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.Publication;
import org.shardmend.storage.publish.Staging;
import org.shardmend.storage.publish.TargetExistsException;

/**
 * Repairs a checkpoint into another directory: plans, holds the lock, and has the result built and
 * published in the way that the output's store allows. A run that was stopped is continued by the
 * same command.
 */
final class OutputRepair {
  private final SparkJob job;
  private final RepairRequest request;
  private final RunRecord run;
  private final PlannedCheckpoint planned;
  private final Location output;
  private final Store store;
  private final RewriteTask.Settings settings;
  private final Staging staging;

  private OutputRepair(
      SparkJob job,
      RepairRequest request,
      RunRecord run,
      PlannedCheckpoint planned,
      Location output,
      Store store) {
    this.job = job;
    this.request = request;
    this.run = run;
    this.planned = planned;
    this.output = output;
    this.store = store;
    RewriteSettings rewrite =
        new RewriteSettings(
            new CheckpointAccess(planned.location(), job.hadoop()),
            new Nonce("", ""),
            request.digest(),
            request.plan().dtypes(),
            request.maxBytesPerSecondPerProcess());
    CheckpointAccess target = new CheckpointAccess(output, job.hadoop());
    this.settings =
        new RewriteTask.Settings(rewrite, target, arguments(), planned.plan().fingerprint());
    this.staging = settings.staging(store);
  }

  /** Plans, and repairs when there is something to repair. */
  static RepairResult run(SparkJob job, RepairRequest request, RunRecord run, Location output)
      throws JobException {
    try (Store store = new CheckpointAccess(output, job.hadoop()).open()) {
      OutputPlaces.require(job, request, output, store);
      PlannedCheckpoint planned = new Planner(job, request.plan()).plan();
      RepairChecks.requireDecided(planned);
      OutputRepair repair = new OutputRepair(job, request, run, planned, output, store);
      if (planned.nothingToDo()) {
        return repair.nothingToDo();
      }
      LinkTargets.require(job, planned);
      return repair.underLock();
    } catch (TargetExistsException e) {
      throw JobException.usage("output-exists", e.getMessage(), e);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** What makes two repairs to one output the same: all that changes a byte of the result. */
  private String arguments() {
    Map<String, String> said = new LinkedHashMap<>();
    said.put("source", planned.location().toString());
    said.put("strategy", request.strategy().map(Strategy::name).orElse("AUTO"));
    said.put("digest", request.digest());
    said.put("link-unchanged", String.valueOf(request.linksUnchanged()));
    said.put("rewrite-config", request.plan().rewrites().canonical());
    return said.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  private RepairResult underLock() throws JobException, IOException {
    String lockPath = TargetLock.beside(output.path());
    TargetLock lock = RepairChecks.lock(store, lockPath, run, request.breaksLock(), job.progress());
    return LockedRepair.run(lock, job.progress(), this::repairUnder);
  }

  private RepairResult repairUnder(TargetLock lock) throws JobException, IOException {
    staging.requireOurs();
    Publication publication = Publication.of(store, staging, lock, request.listener());
    Optional<IOException> unsettled = settle(publication);
    if (publication.isTaken() && isDoneBefore()) {
      AfterPublication after = new AfterPublication(job.progress(), output.toString());
      unsettled.ifPresent(after::warn);
      after.run(publication::discard);
      job.progress()
          .message("Already done: %s is the result of this very repair".formatted(output));
      return done(List.of(), 0, after.warnings());
    }
    if (unsettled.isPresent()) {
      throw unsettled.get();
    }
    if (request.restarts()) {
      publication.restart();
    }
    publication.requireFree();
    return repairOrDiscard(publication, lock);
  }

  /** Ends what an earlier run had published already; gives back what stands against that. */
  private Optional<IOException> settle(Publication publication) {
    try {
      publication.recover();
      recoverAudit();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    }
  }

  private boolean isDoneBefore() throws JobException, IOException {
    return DoneBefore.look(job, request, planned, settings.arguments(), output, store);
  }

  /** Appends the audit of a run that was stopped after it had published. */
  private void recoverAudit() throws IOException {
    Optional<Location> root = request.audit();
    Optional<Manifest> manifest = Manifest.read(store, output.path());
    if (root.isPresent() && manifest.isPresent() && RunId.isRunId(manifest.get().runId())) {
      AuditTrail.recover(root.get(), new RunId(manifest.get().runId()), output, job.hadoop());
    }
  }

  /** What a failed run leaves is worth keeping only if it saves the next one work. */
  private RepairResult repairOrDiscard(Publication publication, TargetLock lock)
      throws JobException, IOException {
    try {
      return repair(publication);
    } catch (JobException | IOException e) {
      try {
        // Without the lock it may be another run's.
        lock.requireHeld();
        if (staging.completed().isEmpty()) {
          publication.discard();
        }
      } catch (IOException notDiscarded) {
        e.addSuppressed(notDiscarded);
      }
      throw e;
    }
  }

  private RepairResult repair(Publication publication) throws JobException, IOException {
    staging.open();
    try (OutputBuild build = new OutputBuild(job, request, run, planned, store, settings)) {
      AfterPublication after = new AfterPublication(job.progress(), output.toString());
      publication.run(run.id().value(), build).forEach(after::warn);
      after.run(build::endAudit);
      return done(build.shardRows(), build.bytesWritten(), build.leftOut()).with(after.warnings());
    }
  }

  private RepairResult nothingToDo() {
    return new RepairResult(
        run.id().value(),
        RepairResult.Outcome.NOTHING_TO_DO,
        planned.location().toString(),
        "",
        planned.plan().fingerprint(),
        planned.plan().counts(),
        Map.of(),
        job.bytesRead(),
        0,
        run.seconds(),
        job.stageSeconds(),
        "",
        planned.findings());
  }

  private RepairResult done(List<ShardRow> shards, long written, List<Finding> more) {
    return new RepairResult(
        run.id().value(),
        RepairResult.Outcome.DONE,
        planned.location().toString(),
        output.toString(),
        planned.plan().fingerprint(),
        planned.plan().counts(),
        RepairChecks.strategies(shards.stream().map(ShardRow::strategy)),
        job.bytesRead(),
        written,
        run.seconds(),
        job.stageSeconds(),
        request.audit().orElseGet(() -> output.child(AuditPlaces.INSIDE)).toString(),
        planned.with(more).findings());
  }
}
