package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Listing;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.SourceChangedException;
import org.shardmend.storage.Store;

/**
 * The stamps of a checkpoint's files before it was planned. What is decided from reading a file is
 * only done while the file has the same stamp.
 */
public final class CheckpointStamps {

  private final Store store;
  private final String checkpoint;
  private final Map<String, FileStamp> stamps = new HashMap<>();

  private CheckpointStamps(Store store, String checkpoint) {
    this.store = store;
    this.checkpoint = checkpoint;
  }

  /**
   * Looks at the files of a directory, and of the directories in it, where dumps are; links
   * followed.
   *
   * @param checkpoint an absolute path in the store
   * @throws IOException when it can't be listed
   */
  public static CheckpointStamps take(Store store, String checkpoint) throws IOException {
    CheckpointStamps taken = new CheckpointStamps(store, checkpoint);
    for (FileStatus entry : store.list(checkpoint)) {
      if (entry.isDirectory() && !entry.name().equals(Listing.OWN_DIRECTORY)) {
        for (FileStatus below : store.list(entry.path())) {
          taken.add(below);
        }
      } else {
        taken.add(entry);
      }
    }
    return taken;
  }

  private void add(FileStatus entry) throws IOException {
    if (entry.isFile() || entry.kind() == FileEntry.Kind.SYMLINK) {
      try {
        String real = store.realPath(entry.path());
        stamps.put(real, store.stamp(real));
      } catch (NoSuchFileException leadsNowhere) {
        // It is no shard then.
        return;
      }
    }
  }

  /**
   * The stamp that a file has, now as then.
   *
   * @param name relative to the checkpoint
   * @throws SourceChangedException when it is another one, or the file was not there
   */
  public FileStamp unchanged(String name) throws IOException {
    String path = checkpoint + "/" + name;
    FileStamp then;
    FileStamp now;
    try {
      String real = store.realPath(path);
      then = stamps.get(real);
      now = store.stamp(real);
    } catch (NoSuchFileException gone) {
      SourceChangedException failure =
          new SourceChangedException(store.locate(path), "is no longer there");
      failure.initCause(gone);
      throw failure;
    }
    if (then == null) {
      throw new SourceChangedException(store.locate(path), "was not there at first");
    }
    if (!now.equals(then)) {
      throw new SourceChangedException(store.locate(path), difference(then, now));
    }
    return now;
  }

  private static String difference(FileStamp then, FileStamp now) {
    if (!then.fileKey().equals(now.fileKey())) {
      return "was replaced by another file, so it is no longer what was read";
    }
    if (then.bytes() != now.bytes()) {
      return "had %d bytes and now has %d".formatted(then.bytes(), now.bytes());
    }
    return "was last changed at %s and now at %s, so it is no longer what was read"
        .formatted(instant(then), instant(now));
  }

  private static Instant instant(FileStamp stamp) {
    long nanos = Math.max(stamp.modified(), stamp.changed());
    return Instant.ofEpochSecond(0, nanos).truncatedTo(ChronoUnit.MILLIS);
  }
}
