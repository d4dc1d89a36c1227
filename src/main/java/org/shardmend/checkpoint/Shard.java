package org.shardmend.checkpoint;

import java.io.Serializable;

/**
 * One weight file.
 *
 * @param name path relative to the checkpoint, separated by {@code /}
 * @param part its number within the load unit, from 0, as its name gives it; in layouts that do not
 *     number parts, its position by name
 * @param bytes the file's length
 * @param stamp changes when the file is written or replaced; of a link, the file's that it leads to
 */
public record Shard(String name, int part, long bytes, FileStamp stamp) implements Serializable {

  /** A shard of whose file only the time of its last modification is known, in milliseconds. */
  public Shard(String name, int part, long bytes, long modifiedMillis) {
    this(name, part, bytes, FileStamp.ofTime(modifiedMillis));
  }

  /** Last modification, in milliseconds since 1970-01-01T00:00:00Z. */
  public long modifiedMillis() {
    return stamp.modifiedMillis();
  }
}
