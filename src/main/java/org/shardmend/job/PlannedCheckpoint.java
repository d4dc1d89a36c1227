package org.shardmend.job;

import java.util.List;
import org.shardmend.checkpoint.Checkpoint;
import org.shardmend.checkpoint.Finding;
import org.shardmend.plan.Plan;
import org.shardmend.rules.RuleSet;
import org.shardmend.storage.Location;

/**
 * A checkpoint with its plan.
 *
 * @param location its directory
 * @param checkpoint what was discovered
 * @param rules the active rules
 * @param plan what a repair would do
 * @param findings what its user should know
 */
public record PlannedCheckpoint(
    Location location, Checkpoint checkpoint, RuleSet rules, Plan plan, List<Finding> findings) {

  /** Copies the list, so that the value can't change. */
  public PlannedCheckpoint {
    findings = List.copyOf(findings);
  }
}
