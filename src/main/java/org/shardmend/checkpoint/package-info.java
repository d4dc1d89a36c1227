/**
 * Checkpoints as directories: which files belong to which layout and load unit, what the side files
 * say, and what a loader expects. Knows storage only through {@link
 * org.shardmend.checkpoint.CheckpointFiles}, and neither Hadoop nor Spark.
 */
package org.shardmend.checkpoint;
