/**
 * Where bytes lie and how they move: one interface, {@link org.shardmend.storage.Store}, over the
 * JDK's channels for {@code file:} and Hadoop's file systems for everything else, and the movers
 * that copy, digest and compare with a fixed number of small buffers, whatever a shard's size.
 */
package org.shardmend.storage;
