package org.shardmend.checkpoint;

import java.io.Serializable;

/**
 * One entry of a checkpoint's directory.
 *
 * @param name path relative to the checkpoint, separated by {@code /}
 * @param kind what the name itself is; a symbolic link is not followed for this
 * @param bytes the file's length; for a symbolic link that leads to a regular file, that file's
 *     length; {@link #UNKNOWN_BYTES} for a link that leads anywhere else; 0 for the other kinds
 * @param stamp changes when the file is written or replaced; of a link to a regular file that
 *     file's
 */
public record FileEntry(String name, Kind kind, long bytes, FileStamp stamp)
    implements Serializable {

  /** The length of a symbolic link that leads nowhere, or to something that is no regular file. */
  public static final long UNKNOWN_BYTES = -1;

  /** What a name in a directory can be. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link, wherever it leads. */
    SYMLINK,
    /** A named pipe, a socket, a device: nothing that is safe to open. */
    OTHER
  }

  /** An entry of which only the time of its last modification is known, in milliseconds. */
  public FileEntry(String name, Kind kind, long bytes, long modifiedMillis) {
    this(name, kind, bytes, FileStamp.ofTime(modifiedMillis));
  }

  /** Last modification, in milliseconds since 1970-01-01T00:00:00Z. */
  public long modifiedMillis() {
    return stamp.modifiedMillis();
  }

  /** Whether opening the name gives the bytes of a regular file, directly or through a link. */
  public boolean isReadable() {
    return switch (kind) {
      case FILE -> true;
      case SYMLINK -> bytes != UNKNOWN_BYTES;
      case DIRECTORY, OTHER -> false;
    };
  }

  /** The last component of the name. */
  public String fileName() {
    return name.substring(name.lastIndexOf('/') + 1);
  }

  /** Whether the entry lies directly in the checkpoint's directory. */
  public boolean isTopLevel() {
    return name.indexOf('/') < 0;
  }
}
