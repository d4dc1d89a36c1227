package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Locale;

/**
 * What a store says of a file that changes when the file is written or another one takes its name.
 * Two looks at a file that give the same stamp, and the same length, have found the same bytes, as
 * far as the store can tell.
 *
 * @param key the inode's number, HDFS's file id or an object's entity tag; empty where a store has
 *     none of these
 * @param modifiedMillis last modification, in milliseconds since 1970-01-01T00:00:00Z; who writes
 *     may put it back
 * @param changedNanos last change of content, name, mode or links, in nanoseconds since then, which
 *     nobody can put back; {@link #NOT_KEPT} where a store keeps no such time
 */
public record FileStamp(String key, long modifiedMillis, long changedNanos)
    implements Serializable {

  /** The value of {@link #changedNanos} where a store keeps no such time. */
  public static final long NOT_KEPT = 0;

  /** A stamp of nothing but the time of modification. */
  public static FileStamp ofTime(long modifiedMillis) {
    return new FileStamp("", modifiedMillis, NOT_KEPT);
  }

  /** The same without what a further hard link changes, which touches no byte. */
  public FileStamp butForLinks() {
    return new FileStamp(key, modifiedMillis, NOT_KEPT);
  }

  /** As one word, equal for equal stamps. */
  public String toText() {
    return String.format(
        Locale.ROOT, "%d/%d/%s", modifiedMillis, changedNanos, key.replace(' ', '_'));
  }
}
