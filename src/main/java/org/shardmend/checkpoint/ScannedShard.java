package org.shardmend.checkpoint;

import java.io.Serializable;
import org.shardmend.safetensors.Header;

/**
 * A shard whose header was read.
 *
 * @param unit the load unit that it was read for
 * @param shard the file
 * @param header its valid header
 * @param headerDigest SHA-256 of the file's first 8 + N bytes, N being the header's length, as
 *     lower-case hexadecimal digits
 */
public record ScannedShard(UnitId unit, Shard shard, Header header, String headerDigest)
    implements Serializable {}
