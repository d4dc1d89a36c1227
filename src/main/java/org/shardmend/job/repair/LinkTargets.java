package org.shardmend.job.repair;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.plan.SideFileChange;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/**
 * What the symbolic links of a checkpoint may lead to when a repair copies what is behind them. A
 * link is somebody's word, and what it leads to becomes readable for whoever reads the output: so a
 * link is followed to what belongs to the checkpoint, and else only as far as it gives nothing
 * away.
 *
 * <ul>
 *   <li>Into the checkpoint's own directory, and, from a snapshot in a Hugging Face cache ({@code
 *       snapshots/REVISION}), to a file right in the {@code blobs} of that cache: always.
 *   <li>To anywhere else: only for a shard, of which nothing is copied unless it is a valid weight
 *       file, and only to a file that belongs to the user who made the link or owns the
 *       checkpoint's directory. That user could have copied it himself.
 * </ul>
 */
final class LinkTargets {
  private static final String SNAPSHOTS = "snapshots";
  private static final String BLOBS = "blobs";

  private final Store store;
  private final Location checkpoint;
  private final Location root;

  private LinkTargets(Store store, Location checkpoint, Location root) {
    this.store = store;
    this.checkpoint = checkpoint;
    this.root = root;
  }

  /**
   * Those of one checkpoint.
   *
   * @param store the checkpoint's; the caller closes it
   */
  static LinkTargets of(Store store, Location checkpoint) throws IOException {
    return new LinkTargets(store, checkpoint, store.locate(store.realPath(checkpoint.path())));
  }

  /**
   * Requires that every shard, and every side file that a loader can't do without or that is
   * written anew from what it says, is what may be copied.
   *
   * @throws JobException REFUSED otherwise, with each that is not
   */
  static void require(SparkJob job, PlannedCheckpoint planned) throws JobException, IOException {
    CheckpointAccess access = new CheckpointAccess(planned.location(), job.hadoop());
    Set<String> changed =
        planned.sideFileChanges().stream().map(SideFileChange::name).collect(Collectors.toSet());
    List<Finding> refused = new ArrayList<>();
    try (Store store = access.open()) {
      LinkTargets targets = of(store, planned.location());
      for (Shard shard : planned.checkpoint().shards()) {
        targets.refuseShard(shard.name()).ifPresent(refused::add);
      }
      for (SideFile file : planned.checkpoint().sideFiles()) {
        if (SideFileCopy.isNeeded(file) || changed.contains(file.name())) {
          targets.refuseSideFile(file).ifPresent(refused::add);
        }
      }
    }
    if (!refused.isEmpty()) {
      throw JobException.refused(planned.location(), refused);
    }
  }

  private Optional<Finding> refuseShard(String name) throws IOException {
    String path = checkpoint.child(name).path();
    String real = store.realPath(path);
    return belong(real) || isOfTheLinksOwner(path, real)
        ? Optional.empty()
        : Optional.of(refusal(name, real));
  }

  private Optional<Finding> refuseSideFile(SideFile file) throws IOException {
    if (file.entry().kind() != FileEntry.Kind.SYMLINK) {
      return Optional.empty();
    }
    try {
      String real = store.realPath(checkpoint.child(file.name()).path());
      return belong(real) ? Optional.empty() : Optional.of(refusal(file.name(), real));
    } catch (NoSuchFileException leadsNowhere) {
      return Optional.empty();
    }
  }

  private Finding refusal(String name, String real) {
    return new Finding(
        "link-outside",
        Severity.ERROR,
        name,
        OneLine.of(
            "%s is a symbolic link out of the checkpoint, to %s, which is not copied on a link's word. Put the file itself in its place."
                .formatted(name, store.locate(real))));
  }

  /**
   * Whether what is at {@code real} is the checkpoint's own.
   *
   * @param real a path without links
   */
  boolean belong(String real) {
    Location target = store.locate(real);
    return root.contains(target) || isBlob(target);
  }

  private boolean isBlob(Location target) {
    if (root.path().equals("/") || !root.parent().name().equals(SNAPSHOTS)) {
      return false;
    }
    return target.parent().equals(root.parent().parent().child(BLOBS));
  }

  private boolean isOfTheLinksOwner(String path, String real) throws IOException {
    Optional<FileStatus> file = store.stat(real);
    if (file.isEmpty() || !file.get().isFile()) {
      return false;
    }
    Optional<String> owner = store.owner(real);
    return owner.equals(store.owner(path)) || owner.equals(store.owner(root.path()));
  }
}
