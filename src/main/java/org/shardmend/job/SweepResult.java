package org.shardmend.job;

import java.util.List;

/**
 * What a sweep came to.
 *
 * @param checkpoints every checkpoint that was found, in the order of roots and paths
 * @param hidden what looks like a checkpoint and was not looked at, for the one above it
 */
public record SweepResult(List<SweptCheckpoint> checkpoints, List<HiddenCheckpoints> hidden) {}
