package org.shardmend.checkpoint;

import java.io.Serializable;

/**
 * One weight file.
 *
 * @param name path relative to the checkpoint, separated by {@code /}
 * @param part its number within the load unit, from 0, as its name gives it; in layouts that do not
 *     number parts, its position by name
 * @param bytes the file's length
 * @param modifiedMillis last modification, in milliseconds since 1970-01-01T00:00:00Z
 */
public record Shard(String name, int part, long bytes, long modifiedMillis)
    implements Serializable {}
