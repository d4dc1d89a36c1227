package org.shardmend.job.sweep;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/**
 * The checkpoints below a root, found by names alone: nothing is opened, and links are not
 * followed. A directory that can't be listed does not stop the search.
 */
final class SweepTree {
  /** What servekit keeps in a checkpoint: thousands of directories, and no weights. */
  private static final String CACHES = "servekit-caches";

  /** Inside a checkpoint so many directories are listed, which may be large and hold nothing. */
  private static final int MOST_LISTED_INSIDE = 1000;

  private final SweepRequest request;
  private final Store store;
  private final List<Candidate> candidates = new ArrayList<>();
  private final List<HiddenCheckpoints> hidden = new ArrayList<>();
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
   * @param real where it is when the links on the way to its root are followed: roots may be two
   *     names of one place
   * @param entries what its top level holds
   */
  record Candidate(
      Location location, Location root, String relative, Location real, List<FileStatus> entries) {
    /**
     * When a file at its top level was last written, in milliseconds since 1970 (UTC). Directories
     * tell nothing: caches lie in them, and our own locks come and go.
     */
    long modifiedMillis() {
      return files().stream().mapToLong(FileStatus::modifiedMillis).max().orElse(0);
    }

    /** What its top level holds besides directories. */
    List<FileStatus> files() {
      return entries.stream().filter(Predicate.not(FileStatus::isDirectory)).toList();
    }

    /** The size of the files at its top level, in bytes: more than a repair can have to move. */
    long bytes() {
      return entries.stream().filter(FileStatus::isFile).mapToLong(FileStatus::bytes).sum();
    }
  }

  /** A directory on the way down. */
  private record Place(
      Location location, Location root, String relative, Location real, int level) {
    Place child(String name) {
      String below = relative.isEmpty() ? name : relative + "/" + name;
      return new Place(location.child(name), root, below, real.child(name), level + 1);
    }
  }

  /**
   * Looks below a root that exists.
   *
   * @throws IOException when it can't be said where the root really is
   */
  static SweepTree below(Location root, SweepRequest request, Store store) throws IOException {
    SweepTree tree = new SweepTree(request, store);
    tree.look(new Place(root, root, "", store.locate(store.realPath(root.path())), 0));
    return tree;
  }

  /** What looks like a checkpoint, in the order of paths. */
  List<Candidate> candidates() {
    return List.copyOf(candidates);
  }

  /** What looks like a checkpoint, but lies in another one. */
  List<HiddenCheckpoints> hidden() {
    return List.copyOf(hidden);
  }

  /** The directories that could not be listed, each with the reason. */
  Map<Location, String> unreadable() {
    return new LinkedHashMap<>(unreadable);
  }

  private void look(Place place) {
    List<FileStatus> entries;
    try {
      entries = store.list(place.location().path());
    } catch (NoSuchFileException e) {
      // Removed since it was listed, as a training job does with its older checkpoints.
      return;
    } catch (IOException e) {
      unreadable.put(place.location(), e.getMessage());
      return;
    }
    List<String> weights = weights(entries);
    if (weights.isEmpty()) {
      next(place, entries).forEach(this::look);
      return;
    }
    if (request.includes(place.relative())) {
      candidates.add(
          new Candidate(place.location(), place.root(), place.relative(), place.real(), entries));
    }
    lookInside(place, entries, weights);
  }

  /** Notes what would have been found, were the place not taken for a checkpoint. */
  private void lookInside(Place place, List<FileStatus> entries, List<String> because) {
    List<Location> found = new ArrayList<>();
    Deque<Place> waiting = new ArrayDeque<>(next(place, entries));
    int listed = 0;
    while (!waiting.isEmpty() && listed < MOST_LISTED_INSIDE) {
      Place inside = waiting.removeFirst();
      listed++;
      List<FileStatus> content;
      try {
        content = store.list(inside.location().path());
      } catch (IOException e) {
        // It belongs to a checkpoint, as far as is known, and repairs don't look into it either.
        continue;
      }
      if (weights(content).isEmpty()) {
        waiting.addAll(next(inside, content));
      } else if (request.includes(inside.relative())) {
        found.add(inside.location());
      }
    }
    if (!found.isEmpty()) {
      hidden.add(
          new HiddenCheckpoints(place.location(), because, List.copyOf(found), waiting.isEmpty()));
    }
  }

  /** The directories in this one that are looked into. */
  private List<Place> next(Place place, List<FileStatus> entries) {
    if (place.level() == request.depth()) {
      return List.of();
    }
    return entries.stream()
        .filter(FileStatus::isDirectory)
        .map(FileStatus::name)
        .filter(name -> !name.startsWith(".") && !name.equals(CACHES))
        .map(place::child)
        .filter(child -> request.enters(child.location(), child.relative()))
        .toList();
  }

  private static List<String> weights(List<FileStatus> entries) {
    return entries.stream().map(FileStatus::name).filter(Layout::isSign).toList();
  }
}
