package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/**
 * The checkpoints below a root, found by names alone: nothing is opened, and links are not
 * followed. A directory that can't be listed does not stop the search.
 */
final class SweepTree {
  private static final String SHARD = ".safetensors";
  private static final String DUMP_INDEX = "checksum.json";

  private final SweepRequest request;
  private final Store store;
  private final List<Candidate> candidates = new ArrayList<>();
  private final Map<Location, String> unreadable = new LinkedHashMap<>();

  private SweepTree(SweepRequest request, Store store) {
    this.request = request;
    this.store = store;
  }

  /**
   * A directory that looks like a checkpoint.
   *
   * @param location where it is
   * @param root below which it was found
   * @param relative its path below the root; empty for the root itself
   * @param entries what its top level holds
   */
  record Candidate(Location location, Location root, String relative, List<FileStatus> entries) {
    /**
     * When a file at its top level was last written, in milliseconds since 1970 (UTC). Directories
     * tell nothing: caches lie in them, and our own locks come and go.
     */
    long modifiedMillis() {
      return entries.stream()
          .filter(Predicate.not(FileStatus::isDirectory))
          .mapToLong(FileStatus::modifiedMillis)
          .max()
          .orElse(0);
    }

    /** The size of the files at its top level, in bytes: more than a repair can have to move. */
    long bytes() {
      return entries.stream().filter(FileStatus::isFile).mapToLong(FileStatus::bytes).sum();
    }
  }

  /** Looks below a root that exists. */
  static SweepTree below(Location root, SweepRequest request, Store store) {
    SweepTree tree = new SweepTree(request, store);
    tree.look(root, root, "", 0);
    return tree;
  }

  /** What looks like a checkpoint, in the order of paths. */
  List<Candidate> candidates() {
    return List.copyOf(candidates);
  }

  /** The directories that could not be listed, each with the reason. */
  Map<Location, String> unreadable() {
    return new LinkedHashMap<>(unreadable);
  }

  private void look(Location directory, Location root, String relative, int level) {
    List<FileStatus> entries;
    try {
      entries = store.list(directory.path());
    } catch (IOException e) {
      unreadable.put(directory, e.getMessage());
      return;
    }
    if (entries.stream().anyMatch(SweepTree::isWeightFile)) {
      if (request.includes(relative)) {
        candidates.add(new Candidate(directory, root, relative, entries));
      }
      return;
    }
    if (level == request.depth()) {
      return;
    }
    for (FileStatus entry : entries) {
      if (entry.isDirectory() && !entry.name().startsWith(".")) {
        String below = relative.isEmpty() ? entry.name() : relative + "/" + entry.name();
        Location child = directory.child(entry.name());
        if (request.enters(child, below)) {
          look(child, root, below, level + 1);
        }
      }
    }
  }

  private static boolean isWeightFile(FileStatus entry) {
    return entry.name().endsWith(SHARD) || entry.name().equals(DUMP_INDEX);
  }
}
