package org.shardmend.storage.bytes;

import org.shardmend.storage.RangeReader;

/**
 * Where a tensor's bytes begin in an open file.
 *
 * @param reader the file; HDFS and object stores read two ranges of one file at once much faster
 *     when each has a reader of its own
 * @param begin first byte, from the start of the file
 */
public record ByteRange(RangeReader reader, long begin) {}
