package org.shardmend.storage.protocol;

import java.io.IOException;
import java.util.Optional;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;

/**
 * The directory {@code .shardmend} of a checkpoint, which may have come with it: nothing in it is
 * followed elsewhere.
 */
public final class OwnDirectory {
  private static final String NAME = "/" + Listing.OWN_DIRECTORY;

  /** Deeper than we write. */
  private static final int MAX_DEPTH = 16;

  private OwnDirectory() {}

  /**
   * Requires that all of it is plain files and directories; to be called before anything is written
   * there.
   *
   * @param checkpoint an absolute path in the store
   * @throws JournalRefusedException when a link, or another thing, is there
   * @throws IOException when it can't be listed
   */
  public static void requirePlain(Store store, String checkpoint) throws IOException {
    Optional<FileStatus> ours = store.stat(checkpoint + NAME);
    if (ours.isPresent()) {
      requirePlain(store, ours.get(), MAX_DEPTH);
    }
  }

  /**
   * As {@link #requirePlain(Store, String)}, of a directory in the checkpoint, to which no link may
   * lead.
   *
   * @param directory relative to the checkpoint
   * @throws JournalRefusedException when it is absent, or a link or another thing is there
   */
  public static void requirePlainBelow(Store store, String checkpoint, String directory)
      throws IOException {
    String path = checkpoint + "/" + directory;
    if (!has(store, checkpoint, path + NAME) && !has(store, checkpoint, path)) {
      throw JournalRefusedException.malformed(
          store.locate(checkpoint), "has no directory '%s', but a journal".formatted(directory));
    }
    requirePlain(store, path);
  }

  private static void requirePlain(Store store, FileStatus entry, int depth) throws IOException {
    if (entry.isFile()) {
      return;
    }
    if (!entry.isDirectory() || depth == 0) {
      throw JournalRefusedException.link(store.locate(entry.path()));
    }
    for (FileStatus below : store.list(entry.path())) {
      requirePlain(store, below, depth - 1);
    }
  }

  /**
   * Whether a directory or file of ours is there, each part of the way to it plain; what is behind
   * a link is not looked at.
   *
   * @throws JournalRefusedException when a part of the way is something else
   */
  public static boolean has(Store store, String checkpoint, String path) throws IOException {
    for (int end = path.indexOf('/', checkpoint.length() + 1);
        end > 0;
        end = path.indexOf('/', end + 1)) {
      Optional<FileStatus> above = store.stat(path.substring(0, end));
      if (above.isEmpty()) {
        return false;
      }
      if (!above.get().isDirectory()) {
        throw JournalRefusedException.link(store.locate(above.get().path()));
      }
    }
    Optional<FileStatus> entry = store.stat(path);
    if (entry.isPresent() && !entry.get().isFile() && !entry.get().isDirectory()) {
      throw JournalRefusedException.link(store.locate(path));
    }
    return entry.isPresent();
  }
}
