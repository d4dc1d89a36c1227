/**
 * How a directory becomes a checkpoint: which of the layouts it has, which files belong to which
 * load unit, and what is missing. The package decides that by names and side files alone, before a
 * header is read, and knows nothing of rules. Read {@link Discovery} first, then {@link
 * Checkpoint}, its result, and {@link CheckpointLayout}, which owns what differs between layouts.
 */
package org.shardmend.checkpoint.layout;
