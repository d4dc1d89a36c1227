package org.shardmend.job.sweep;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.audit.AuditCatalog;
import org.shardmend.job.audit.FailedRuns;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.AfterPublication;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairChecks;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RepairedBefore;
import org.shardmend.job.repair.RunRecord;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.ProcessFailures;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.OwnDirectory;

/**
 * A sweep's work on one checkpoint, in a thread of its own. Whatever happens to this one is its
 * outcome, with a row in the audit: an error of Java's and a fault of our own, too.
 */
final class CheckpointSweep {
  private static final String NO_SHARDS = "no-shards";
  private static final String JOURNAL_OPEN = "journal-open";

  private final SweepRequest request;
  private final SweepTree.Candidate candidate;
  private final Location location;
  private final PlanRequest look;
  private final SparkJob own;
  private final RunRecord run;
  private String listing;

  /** Of the plan, as far as there is one. */
  private ActionCounts counts = ActionCounts.NONE;

  private int shards;

  /**
   * @param own the application, for the calling thread
   * @param listing what tells whether the checkpoint is still the same
   */
  CheckpointSweep(
      SweepRequest request, SweepTree.Candidate candidate, SparkJob own, String listing) {
    this.request = request;
    this.candidate = candidate;
    this.location = candidate.location();
    this.look = request.template().at(location).leavingOutOtherLayouts();
    this.own = own;
    this.run = new RunRecord(look, own.applicationId());
    this.listing = listing;
  }

  /** Plans, and repairs when that is asked for and needed. */
  SweptCheckpoint sweep() {
    try {
      return planAndRepair();
    } catch (JobException e) {
      return isGone() ? gone() : remember(e);
    } catch (RuntimeException | Error e) {
      return remember(unexpected(e));
    }
  }

  /** What ended it, when that is none of the ends that are foreseen. */
  static JobException unexpected(Throwable end) {
    return ProcessFailures.behind(end)
        .orElseGet(
            () ->
                JobException.failed(
                    "internal",
                    "this is a fault of shardmend's own, please report it: " + end,
                    end));
  }

  private SweptCheckpoint planAndRepair() throws JobException {
    PlannedCheckpoint planned;
    try {
      planned = new PlanAction(own, look).execute();
      counts = planned.plan().counts();
      shards = planned.plan().shards().size();
      RepairChecks.requireDecided(planned);
    } catch (JobException e) {
      if (e.code().equals(JOURNAL_OPEN)) {
        // A listing does not tell when the journal is gone, so this is never refused-before.
        listing = "";
      }
      boolean finishes =
          e.code().equals(JOURNAL_OPEN)
              && !request.isDryRun()
              && request.output(candidate).isEmpty();
      if (finishes) {
        return repair(Optional.empty());
      }
      throw e;
    }
    Optional<Location> output = request.output(candidate);
    if (planned.nothingToDo()) {
      return planned(SweptCheckpoint.Outcome.NOTHING_TO_DO, "", "");
    }
    if (output.isPresent() && isRepaired(planned, output.get())) {
      return planned(
          SweptCheckpoint.Outcome.NOTHING_TO_DO, output.get().toString(), "repaired before");
    }
    return request.isDryRun() ? planned(SweptCheckpoint.Outcome.FOUND, "", "") : repair(output);
  }

  private SweptCheckpoint planned(SweptCheckpoint.Outcome outcome, String output, String message) {
    return new SweptCheckpoint(
        location, outcome, "", output, counts, shards, own.bytesRead(), 0, 0, "", message);
  }

  private SweptCheckpoint repair(Optional<Location> output) throws JobException {
    RepairRequest repair;
    if (output.isPresent()) {
      makeParents(output.get());
      repair = RepairRequest.toOutput(look, output.get());
    } else {
      repair = RepairRequest.inPlace(look);
    }
    request.auditTable().ifPresent(repair::auditTable);
    repair.audit(request.audit()).run(run.id()).listing(listing).listener(request.listener());
    RepairResult result;
    try {
      result = new RepairAction(own, repair).executeAmongOthers();
    } catch (JobException e) {
      // It has written the row, unless the use was wrong.
      return isGone()
          ? gone()
          : ended(e, e.kind() == JobException.Kind.USAGE ? "" : run.id().value());
    }
    SweptCheckpoint.Outcome outcome =
        switch (result.outcome()) {
          case DONE -> SweptCheckpoint.Outcome.DONE;
          case NOTHING_TO_DO -> SweptCheckpoint.Outcome.NOTHING_TO_DO;
        };
    return new SweptCheckpoint(
        location,
        outcome,
        result.runId(),
        result.output(),
        result.counts(),
        result.strategies().values().stream().mapToInt(Integer::intValue).sum(),
        own.bytesRead(),
        result.bytesWritten(),
        0,
        "",
        result.findings().stream()
            .filter(finding -> finding.code().equals(AfterPublication.CODE))
            .map(Finding::message)
            .findFirst()
            .orElse(""));
  }

  private void makeParents(Location output) throws JobException {
    try (Store store = Stores.open(output, own.hadoop())) {
      store.makeDirectories(output.parent().path());
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /**
   * Whether the repaired form of just this plan is there already.
   *
   * @throws JobException FAILED when something else is there
   */
  private boolean isRepaired(PlannedCheckpoint planned, Location output) throws JobException {
    try (Store store = Stores.open(output, own.hadoop())) {
      return RepairedBefore.look(store, output, planned);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** Whether no file of it is left; a directory may be, with what we have just put there. */
  private boolean isGone() {
    Set<String> files =
        candidate.files().stream().map(FileStatus::name).collect(Collectors.toSet());
    try (Store store = Stores.open(location, own.hadoop())) {
      return store.list(location.path()).stream().map(FileStatus::name).noneMatch(files::contains);
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException e) {
      // Whatever keeps it from being looked at is what it has failed on.
      return false;
    }
  }

  private SweptCheckpoint gone() {
    if (!request.isDryRun() && request.output(candidate).isEmpty()) {
      removeOwnRemains();
    }
    return SweptCheckpoint.without(
        location, SweptCheckpoint.Outcome.GONE, "removed while the sweep ran");
  }

  /**
   * What this repair has put where the checkpoint was, and the directory that came with it;
   * whatever else is there stays, and so does a journal that something could be undone by.
   */
  private void removeOwnRemains() {
    try (Store store = Stores.open(location, own.hadoop())) {
      if (store.stat(location.path()).filter(FileStatus::isDirectory).isEmpty()) {
        return;
      }
      OwnDirectory.requirePlain(store, location.path());
      try (TargetLock lock =
          TargetLock.acquire(store, TargetLock.inside(location.path()), run.id().value())) {
        lock.requireHeld();
        Journal.of(store, location.path(), request.listener()).removeRemains();
      }
      if (store.list(location.path()).isEmpty()) {
        store.delete(location.path());
      }
    } catch (IOException e) {
      own.progress()
          .message("%s is gone, but not all of it: %s".formatted(location, e.getMessage()));
    }
  }

  /** Refusals and failures have their row in the audit; of refusals it is the sweep's memory. */
  private SweptCheckpoint remember(JobException end) {
    if (request.isDryRun() || end.kind() == JobException.Kind.USAGE) {
      return ended(end, "");
    }
    String output = request.output(candidate).map(Location::toString).orElse("");
    Optional<AuditCatalog> catalog =
        request.auditTable().map(tables -> new AuditCatalog(own, tables));
    Optional<Exception> unwritten =
        FailedRuns.record(
            own,
            request.audit(),
            request.output(candidate).orElse(location),
            catalog,
            run.failure(end, output, listing, counts, own.bytesRead()));
    return ended(end, unwritten.isPresent() ? "" : run.id().value());
  }

  private SweptCheckpoint ended(JobException end, String runId) {
    SweptCheckpoint.Outcome outcome =
        switch (end.kind()) {
          case REFUSED -> SweptCheckpoint.Outcome.REFUSED;
          case FAILED -> SweptCheckpoint.Outcome.FAILED;
          case USAGE ->
              end.code().equals(NO_SHARDS)
                  ? SweptCheckpoint.Outcome.UNKNOWN_LAYOUT
                  : SweptCheckpoint.Outcome.FAILED;
        };
    String code = outcome == SweptCheckpoint.Outcome.UNKNOWN_LAYOUT ? "" : end.code();
    return new SweptCheckpoint(
        location,
        outcome,
        runId,
        "",
        counts,
        shards,
        own.bytesRead(),
        0,
        0,
        code,
        end.getMessage());
  }
}
