package org.shardmend.job.repair;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.audit.RunOutcome;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.audit.AuditTrail;
import org.shardmend.job.files.Locations;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.ActionCounts;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.journal.EnclosingJournal;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.storage.journal.JournalState;
import org.shardmend.storage.protocol.OwnDirectory;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.Manifest;

/**
 * Undoes a repair in place, here, without executors. The audit gets a row of it, so that it does
 * not speak of a repair as if that were still there.
 */
public final class RollbackAction {

  private final Location checkpoint;
  private final boolean breakLock;
  private final Progress progress;
  private final RunRecord run;
  private Optional<Location> audit = Optional.empty();
  private boolean adopts;
  private StepListener listener = StepListener.NONE;

  /** An action on a checkpoint that was repaired in place, or whose repair was stopped. */
  public RollbackAction(Location checkpoint, boolean breakLock, Progress progress) {
    this.checkpoint = checkpoint;
    this.breakLock = breakLock;
    this.progress = progress;
    PlanRequest nothing =
        new PlanRequest(checkpoint, DiscoveryOptions.defaults(), List.of(), UnknownDtypes.ALLOW);
    this.run = new RunRecord(nothing, "");
  }

  /**
   * Where the repair's audit is, if it is not below the checkpoint.
   *
   * @param root the audit's directory
   */
  public RollbackAction audit(Location root) {
    audit = Optional.of(root);
    return this;
  }

  /** Believes the journal, whoever wrote it: the user vouches for it. */
  public RollbackAction adoptJournal() {
    adopts = true;
    return this;
  }

  public RollbackAction listener(StepListener heard) {
    listener = heard;
    return this;
  }

  /**
   * Undoes the repair.
   *
   * @throws JobException USAGE when there is no such directory, REFUSED when a file was changed by
   *     something else since, FAILED when it is locked or storage fails
   */
  public JournalResult execute() throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    try (Store store = Stores.open(checkpoint, hadoop)) {
      if (store.stat(checkpoint.path()).isEmpty()) {
        throw Locations.missing(checkpoint);
      }
      if (!store.traits().overwritesInPlace()) {
        // No repair in place is made there, so there is nothing that a lock would have to hold.
        return JournalResult.nothing();
      }
      OwnDirectory.requirePlain(store, checkpoint.path());
      // Before the first look: what another run does between a look and the lock would be undone.
      try (HeldLocks locks = HeldLocks.of(store, checkpoint.path(), run, breakLock, progress)) {
        Journal journal = Journal.of(store, checkpoint.path(), listener).under(locks);
        if (journal.state() == JournalState.NONE) {
          requireNoneElsewhere(store);
        }
        if (adopts) {
          journal.adopting();
        }
        locks.alsoOf(journal);
        String fingerprint = fingerprint(store);
        JournalResult undone = journal.rollback(InPlaceRepair.PATCH_THREADS);
        if (undone.outcome() == JournalResult.Outcome.ROLLED_BACK) {
          record(store, fingerprint, undone, HadoopSettings.of(hadoop));
        }
        return undone;
      }
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  /** Requires that there is no journal by which the user may mean to undo. */
  private void requireNoneElsewhere(Store store) throws JobException, IOException {
    for (EnclosingJournal journal : EnclosingJournal.above(store, checkpoint.path())) {
      if (journal.changesInside()) {
        throw elsewhere(
            "what was repaired in it was repaired as a part of %s".formatted(journal.checkpoint()),
            journal.checkpoint());
      }
      progress.message(
          "%s, around it, has a journal, of a repair that changed nothing in it. To undo that: shardmend rollback %s"
              .formatted(journal.checkpoint(), ShellWord.of(journal.checkpoint().toString())));
    }
    for (FileStatus entry : store.list(checkpoint.path())) {
      Location dump = checkpoint.child(entry.name());
      if (entry.isDirectory()
          && isCheckpoint(store, dump)
          && Journal.of(store, dump.path(), listener).state() != JournalState.NONE) {
        throw elsewhere("the dump in it was repaired as %s".formatted(dump), dump);
      }
    }
  }

  private static boolean isCheckpoint(Store store, Location inner) throws IOException {
    for (Layout layout : Layout.values()) {
      Optional<String> sign = layout.innerSign();
      if (sign.isPresent() && store.stat(inner.child(sign.get()).path()).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private JobException elsewhere(String why, Location repaired) {
    return JobException.usage(
        "journal-elsewhere",
        "%s has no journal: %s. To undo that: shardmend rollback %s"
            .formatted(checkpoint, why, ShellWord.of(repaired.toString())));
  }

  /** That of the plan that is undone, where the repair came so far that it says so. */
  private String fingerprint(Store store) {
    try {
      return Manifest.read(store, checkpoint.path()).map(Manifest::fingerprint).orElse("");
    } catch (IOException torn) {
      return "";
    }
  }

  /** What is undone stays so, whatever becomes of the row. */
  private void record(
      Store store, String fingerprint, JournalResult undone, HadoopSettings hadoop) {
    Location root = audit.orElseGet(() -> checkpoint.child(AuditPlaces.INSIDE));
    try {
      if (audit.isPresent() || store.stat(root.path()).isPresent()) {
        AuditTrail.appendAlone(
            root,
            run.row(
                RunOutcome.ROLLED_BACK,
                checkpoint.toString(),
                fingerprint,
                ActionCounts.NONE,
                undone.bytesRead(),
                undone.bytesWritten(),
                List.of()),
            checkpoint,
            hadoop);
      }
    } catch (IOException e) {
      progress.message(
          "%s was rolled back, but its audit does not say so: %s"
              .formatted(checkpoint, e.getMessage()));
    }
  }
}
