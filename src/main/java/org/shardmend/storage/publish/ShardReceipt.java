package org.shardmend.storage.publish;

import java.io.Serializable;

/**
 * What a task says of the shard that it wrote; kept by the driver so that a later run need not
 * write it again.
 *
 * @param number the shard's number in the plan
 * @param attempt the attempt that wrote it; part of the file's name in {@code work/}
 * @param name the shard, relative to the target
 * @param bytes its length
 * @param headerBytes length of its header, with the length field, in bytes
 * @param headerDigest SHA-256 of the header with the length field, in hexadecimal
 * @param digest of its data; {@link ManifestShard#NOT_READ} where that was not read
 * @param strategy how it was made
 * @param bytesRead of the source
 * @param bytesWritten into the shard
 * @param details whatever else the caller wants back, as text
 */
public record ShardReceipt(
    int number,
    long attempt,
    String name,
    long bytes,
    long headerBytes,
    String headerDigest,
    String digest,
    String strategy,
    long bytesRead,
    long bytesWritten,
    String details)
    implements Serializable {}
