package org.shardmend.storage;

import java.io.Serializable;
import java.util.OptionalInt;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.FileStamp;

/**
 * What a store says of one entry, symbolic links not followed.
 *
 * @param path absolute, within its store
 * @param kind what it is
 * @param bytes its length; of a link, that of the link itself
 * @param modifiedMillis when it was last written, in milliseconds since 1970 (UTC), as the store
 *     gives it
 * @param links how many names it has; 1 where a store has no hard links
 * @param fileKey what stays the same when the entry is renamed (on {@code file:} the inode's
 *     number, without the device's, which differs from mount to mount); empty where a store has no
 *     such thing
 * @param mode the permission bits, 12 of them; {@link #NO_MODE} where a store has none
 * @param changedNanos when content, name, mode or links were last changed, in nanoseconds since
 *     1970 (UTC), which nobody can put back; {@link FileStamp#NOT_KEPT} where a store keeps no such
 *     time
 */
public record FileStatus(
    String path,
    FileEntry.Kind kind,
    long bytes,
    long modifiedMillis,
    int links,
    String fileKey,
    int mode,
    long changedNanos)
    implements Serializable {

  /** The value of {@link #mode} where a store has no permission bits. */
  public static final int NO_MODE = -1;

  /** The status of an entry in a store that keeps no time of changes but those of content. */
  public FileStatus(
      String path,
      FileEntry.Kind kind,
      long bytes,
      long modifiedMillis,
      int links,
      String fileKey,
      int mode) {
    this(path, kind, bytes, modifiedMillis, links, fileKey, mode, FileStamp.NOT_KEPT);
  }

  /** What changes when the file is written or another one takes its name. */
  public FileStamp stamp() {
    return new FileStamp(fileKey, modifiedMillis, changedNanos);
  }

  /** The last part of the path. */
  public String name() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** The permission bits, where the store has such. */
  public OptionalInt permissions() {
    return mode == NO_MODE ? OptionalInt.empty() : OptionalInt.of(mode);
  }

  /** Whether this is a regular file. */
  public boolean isFile() {
    return kind == FileEntry.Kind.FILE;
  }

  /** Whether this is a directory. */
  public boolean isDirectory() {
    return kind == FileEntry.Kind.DIRECTORY;
  }
}
