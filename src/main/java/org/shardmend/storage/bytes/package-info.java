/**
 * The movers: they copy, digest and compare what lies in a {@link org.shardmend.storage.Store} with
 * a fixed number of small buffers, whatever a shard's size. They know tensors as ranges of bytes
 * and nothing of names, journals or staging. Read {@link ShardCopier} first.
 */
package org.shardmend.storage.bytes;
