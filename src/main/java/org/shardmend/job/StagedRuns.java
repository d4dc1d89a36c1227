package org.shardmend.job;

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
import org.shardmend.storage.Journal;
import org.shardmend.storage.Location;
import org.shardmend.storage.Manifest;
import org.shardmend.storage.RunNote;
import org.shardmend.storage.StepListener;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * What runs have staged in an audit and not appended. It is removed when nobody can need it: its
 * process is proven gone, and no later run will append it. Whatever is not certain stays.
 */
public final class StagedRuns {
  private final Store store;
  private final Location root;
  private final HadoopSettings hadoop;
  private final Set<Location> targets;
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
   * @param removed runs whose files were removed
   * @param left others, but for those that are seen running
   */
  public record Result(List<RunId> removed, List<Left> left) {}

  private StagedRuns(Store store, Location root, HadoopSettings hadoop, Set<Location> targets) {
    this.store = store;
    this.root = root;
    this.hadoop = hadoop;
    this.targets = targets;
  }

  /**
   * Removes what is certain to be needed by nobody.
   *
   * @param root the audit's directory; one that does not exist holds nothing
   * @param targets what the user has named to be repaired: only there is looked whether a run whose
   *     rows are complete may still be appended, because a note may name any place
   * @throws IOException when the audit can't be listed, or something can't be removed
   */
  static Result removeDead(Location root, Set<Location> targets, HadoopSettings hadoop)
      throws IOException {
    try (Store store = Stores.open(root, hadoop)) {
      StagedRuns staged = new StagedRuns(store, root, hadoop, targets);
      for (FileStatus entry : staged.entries()) {
        if (entry.isDirectory() && RunId.isRunId(entry.name())) {
          staged.decide(new RunId(entry.name()));
        }
      }
      return new Result(List.copyOf(staged.removed), List.copyOf(staged.left));
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

  private void decide(RunId run) throws IOException {
    Location place = root.child(AuditLayout.staging(run));
    Optional<String> doubt;
    try {
      Optional<RunNote> note = RunNote.read(store, place.path());
      if (note.map(RunNote::isOfLiveProcess).orElse(false)) {
        return;
      }
      doubt =
          note.isPresent()
              ? doubt(run, place, note.get())
              : Optional.of("Nothing there says which process made it.");
    } catch (IOException unreadable) {
      doubt = Optional.of("It can't be looked at: %s.".formatted(unreadable.getMessage()));
    }
    if (doubt.isEmpty()) {
      AuditTrail.removeStaging(store, place);
      removed.add(run);
    } else if (store.stat(place.path()).isPresent()) {
      left.add(new Left(run, place, doubt.get()));
    }
  }

  private Optional<String> doubt(RunId run, Location place, RunNote note) throws IOException {
    return note.isOfDeadProcess()
        ? whyNeeded(run, place, note)
        : Optional.of("It is of %s.".formatted(note.said()));
  }

  /** Why a later run may append what a dead one has staged; empty when none will. */
  private Optional<String> whyNeeded(RunId run, Location place, RunNote note) throws IOException {
    if (!AuditTrail.isPrepared(store, place)
        || new AuditAppend(store, root.path()).isAppended(run)) {
      return Optional.empty();
    }
    for (Location target : targets) {
      if (target.toString().equals(note.target())) {
        return isReplaced(target, run) ? Optional.empty() : Optional.of(mayCount(note));
      }
    }
    return Optional.of(mayCount(note));
  }

  private static String mayCount(RunNote note) {
    return "Its process is gone, but its rows are complete and count if %s turns out to be its result: the next repair there appends or removes them."
        .formatted(note.target());
  }

  /** Whether what is there is of another run, and no journal leads back to this one. */
  private boolean isReplaced(Location target, RunId run) throws IOException {
    try (Store ofTarget = Stores.open(target, hadoop)) {
      boolean journalled =
          Journal.of(ofTarget, target.path(), StepListener.NONE)
              .runId()
              .equals(Optional.of(run.value()));
      return !journalled
          && Manifest.read(ofTarget, target.path())
              .filter(manifest -> !manifest.runId().equals(run.value()))
              .isPresent();
    }
  }
}
