package org.shardmend.job;

import java.util.ArrayList;
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
 * @param sideFileChanges the side files that a repair changes with the names
 * @param findings what its user should know
 */
public record PlannedCheckpoint(
    Location location,
    Checkpoint checkpoint,
    RuleSet rules,
    Plan plan,
    List<SideFileChange> sideFileChanges,
    List<Finding> findings) {

  /** Copies the lists, so that the value can't change. */
  public PlannedCheckpoint {
    sideFileChanges = List.copyOf(sideFileChanges);
    findings = List.copyOf(findings);
  }

  /** The same, with more to know. */
  PlannedCheckpoint with(List<Finding> more) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(more);
    return new PlannedCheckpoint(location, checkpoint, rules, plan, sideFileChanges, all);
  }
}
