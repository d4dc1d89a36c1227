/**
 * The words for what a checkpoint is made of: entries, shards, load units, headers and what can be
 * found about them. The package knows storage only through {@link CheckpointFiles}, and neither
 * Hadoop nor Spark nor which layout a file belongs to. Read {@link LoadUnit} and {@link Finding}
 * first.
 */
package org.shardmend.checkpoint;
