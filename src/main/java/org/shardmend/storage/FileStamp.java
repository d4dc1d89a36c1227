package org.shardmend.storage;

import java.io.Serializable;

/**
 * What tells cheaply whether somebody wrote to a file: whoever does changes one of these.
 *
 * @param fileKey its identity, as in {@link FileStatus#fileKey()}
 * @param bytes its length
 * @param modified when its content was last written, in nanoseconds since 1970 (UTC), as finely as
 *     the store keeps it
 * @param changed when its content, names or rights were last changed, likewise; unlike {@code
 *     modified} no program can set it. Equal to {@code modified} where a store has no such time
 */
public record FileStamp(String fileKey, long bytes, long modified, long changed)
    implements Serializable {

  /** Whether the content may be trusted to be the same, though names or rights were changed. */
  public boolean hasContentOf(FileStamp other) {
    return fileKey.equals(other.fileKey) && bytes == other.bytes && modified == other.modified;
  }
}
