package org.shardmend.job.audit;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardmend.audit.AuditAppend;
import org.shardmend.audit.AuditLayout;
import org.shardmend.audit.RunId;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.journal.Journal;
import org.shardmend.storage.lock.RunNote;
import org.shardmend.storage.protocol.StepListener;
import org.shardmend.storage.publish.Manifest;

/**
 * What runs have staged in an audit and not appended. Where its process is proven gone, it is
 * appended if what it tells of has come true, and removed if nobody can need it any more. Whatever
 * is not certain stays.
 */
public final class StagedRuns {
  private final Store store;
  private final Location root;
  private final HadoopSettings hadoop;
  private final Set<Location> targets;
  private final List<RunId> appended = new ArrayList<>();
  private final List<RunId> removed = new ArrayList<>();
  private final List<Left> left = new ArrayList<>();

  /**
   * What a run has staged, and nothing removes by itself.
   *
   * @param run the run
   * @param place the directory
   * @param why it stays, as a sentence
   */
  public record Left(RunId run, Location place, String why) {}

  /**
   * What became of it.
   *
   * @param appended runs that were stopped when their repair was done, and count from now on
   * @param removed runs whose files were removed
   * @param left others, but for those that are seen running
   */
  public record Result(List<RunId> appended, List<RunId> removed, List<Left> left) {}

  /** What is to become of what a dead run has staged. */
  private enum Fate {
    APPENDED,
    REMOVED,
    LEFT
  }

  private StagedRuns(Store store, Location root, HadoopSettings hadoop, Set<Location> targets) {
    this.store = store;
    this.root = root;
    this.hadoop = hadoop;
    this.targets = targets;
  }

  /**
   * Appends what has come true, and removes what is certain to be needed by nobody.
   *
   * @param root the audit's directory; one that does not exist holds nothing
   * @param targets what the user has named to be repaired: only there is looked what has become of
   *     a run whose rows are complete, because a note may name any place
   * @throws IOException when the audit can't be listed, or something can't be removed
   */
  public static Result settleDead(Location root, Set<Location> targets, HadoopSettings hadoop)
      throws IOException {
    try (Store store = Stores.open(root, hadoop)) {
      StagedRuns staged = new StagedRuns(store, root, hadoop, targets);
      for (FileStatus entry : staged.entries()) {
        if (entry.isDirectory() && RunId.isRunId(entry.name())) {
          staged.decide(new RunId(entry.name()));
        }
      }
      return new Result(
          List.copyOf(staged.appended), List.copyOf(staged.removed), List.copyOf(staged.left));
    }
  }

  private List<FileStatus> entries() throws IOException {
    String all = root.child(AuditLayout.stagings()).path();
    try {
      // What a link leads to is not ours.
      return store.stat(all).filter(FileStatus::isDirectory).isPresent()
          ? store.list(all)
          : List.of();
    } catch (NoSuchFileException removedMeanwhile) {
      return List.of();
    }
  }

  /** What is wrong with one keeps nobody from the others. */
  private void decide(RunId run) throws IOException {
    Location place = root.child(AuditLayout.staging(run));
    try {
      Optional<RunNote> note = RunNote.read(store, place.path());
      if (note.isEmpty()) {
        leave(run, place, "Nothing there says which process made it.");
      } else if (note.get().isOfDeadProcess()) {
        settle(run, place, note.get());
      } else if (!note.get().isOfLiveProcess()) {
        leave(run, place, "It is of %s.".formatted(note.get().said()));
      }
    } catch (IOException failure) {
      leave(run, place, "It can be neither appended nor removed: " + failure.getMessage());
    }
  }

  private void settle(RunId run, Location place, RunNote note) throws IOException {
    Optional<Location> target =
        targets.stream().filter(one -> one.toString().equals(note.target())).findFirst();
    switch (fate(run, place, target)) {
      case APPENDED -> {
        AuditTrail.recover(root, run, target.orElseThrow(), hadoop);
        appended.add(run);
      }
      case REMOVED -> {
        AuditTrail.removeStaging(store, place);
        removed.add(run);
      }
      case LEFT ->
          leave(
              run,
              place,
              "Its process is gone, but its rows are complete and count if %s turns out to be its result: the next repair or sweep there appends or removes them."
                  .formatted(note.target()));
    }
  }

  private void leave(RunId run, Location place, String why) throws IOException {
    // A run that has ended meanwhile has left nothing.
    if (store.stat(place.path()).isPresent()) {
      left.add(new Left(run, place, why));
    }
  }

  private Fate fate(RunId run, Location place, Optional<Location> target) throws IOException {
    if (!AuditTrail.isPrepared(store, place)
        || new AuditAppend(store, root.path()).isAppended(run)) {
      return Fate.REMOVED;
    }
    return target.isPresent() ? fate(run, target.get()) : Fate.LEFT;
  }

  /**
   * By what is at the target now: a journal may lead back to the run, a manifest names the last.
   */
  private Fate fate(RunId run, Location target) throws IOException {
    try (Store ofTarget = Stores.open(target, hadoop)) {
      Journal journal = Journal.of(ofTarget, target.path(), StepListener.NONE);
      if (journal.state().isOpen()) {
        return Fate.LEFT;
      }
      if (journal.runId().equals(Optional.of(run.value()))) {
        return Fate.APPENDED;
      }
      Optional<Manifest> manifest = Manifest.read(ofTarget, target.path());
      if (manifest.isEmpty()) {
        return Fate.LEFT;
      }
      return manifest.get().runId().equals(run.value()) ? Fate.APPENDED : Fate.REMOVED;
    }
  }
}
