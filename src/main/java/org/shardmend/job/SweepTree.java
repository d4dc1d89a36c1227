package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/** Finds the checkpoints below a root, by names alone: nothing is opened. */
final class SweepTree {
  private static final String SHARD = ".safetensors";
  private static final String DUMP_INDEX = "checksum.json";

  private final SweepRequest request;
  private final Store store;
  private final Location root;
  private final List<Candidate> found = new ArrayList<>();

  private SweepTree(SweepRequest request, Store store, Location root) {
    this.request = request;
    this.store = store;
    this.root = root;
  }

  /**
   * A directory that looks like a checkpoint.
   *
   * @param location where it is
   * @param relative its path below the root; empty for the root itself
   * @param entries what its top level holds
   */
  record Candidate(Location location, String relative, List<FileStatus> entries) {
    /** When anything at its top level was last written, in milliseconds since 1970 (UTC). */
    long modifiedMillis() {
      return entries.stream().mapToLong(FileStatus::modifiedMillis).max().orElse(0);
    }
  }

  static List<Candidate> candidates(SweepRequest request, Store store, Location root)
      throws IOException {
    SweepTree tree = new SweepTree(request, store, root);
    tree.look(root, "", 0);
    return tree.found;
  }

  private void look(Location directory, String relative, int level) throws IOException {
    List<FileStatus> entries = store.list(directory.path());
    if (entries.stream().anyMatch(SweepTree::isWeightFile)) {
      if (request.wants(relative)) {
        found.add(new Candidate(directory, relative, entries));
      }
      return;
    }
    if (level == request.depth()) {
      return;
    }
    for (FileStatus entry : entries) {
      if (entry.isDirectory() && !entry.name().startsWith(".")) {
        String below = relative.isEmpty() ? entry.name() : relative + "/" + entry.name();
        look(root.child(below), below, level + 1);
      }
    }
  }

  private static boolean isWeightFile(FileStatus entry) {
    return entry.name().endsWith(SHARD) || entry.name().equals(DUMP_INDEX);
  }
}
