package org.shardmend.job.sweep;

import java.util.List;
import org.shardmend.checkpoint.Finding;

/**
 * What a sweep came to.
 *
 * @param checkpoints every checkpoint that was found, in the order of roots and paths
 * @param hidden what looks like a checkpoint and was not looked at, for the one above it
 * @param findings what a user should know, what is hidden included; nothing that stops a sweep
 */
public record SweepResult(
    List<SweptCheckpoint> checkpoints, List<HiddenCheckpoints> hidden, List<Finding> findings) {

  /** Copies the lists, so that the value can't change. */
  public SweepResult {
    checkpoints = List.copyOf(checkpoints);
    hidden = List.copyOf(hidden);
    findings = List.copyOf(findings);
  }
}
