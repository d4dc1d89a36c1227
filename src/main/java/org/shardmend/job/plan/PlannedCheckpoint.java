package org.shardmend.job.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.SideFile;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.plan.Cost;
import org.shardmend.plan.Plan;
import org.shardmend.plan.SideFileBytes;
import org.shardmend.plan.Strategy;
import org.shardmend.plan.StrategyCosts;
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
 * @param bytesRead what was read for it: headers, side files, and tensors that were compared
 */
public record PlannedCheckpoint(
    Location location,
    Checkpoint checkpoint,
    RuleSet rules,
    Plan plan,
    List<SideFileChange> sideFileChanges,
    List<Finding> findings,
    long bytesRead) {

  /** Copies the lists, so that the value can't change. */
  public PlannedCheckpoint {
    sideFileChanges = List.copyOf(sideFileChanges);
    findings = List.copyOf(findings);
  }

  /** True when a repair would change neither a tensor's name nor a side file. */
  public boolean nothingToDo() {
    return plan.nothingToDo() && sideFileChanges.isEmpty();
  }

  /** What each strategy would cost, with the side files that go along. */
  public Map<Strategy, Cost> costs() {
    return StrategyCosts.of(plan, sideFileBytes(), bytesRead);
  }

  private SideFileBytes sideFileBytes() {
    Map<String, Long> after = new HashMap<>();
    sideFileChanges.forEach(change -> after.put(change.name(), (long) change.content().length));
    SideFileBytes bytes = SideFileBytes.NONE;
    for (SideFile file : checkpoint.sideFiles()) {
      if (file.isCarriedAlong() && file.entry().isReadable()) {
        long before = file.entry().bytes();
        bytes =
            after.containsKey(file.name())
                ? bytes.plusChanged(before, after.get(file.name()))
                : bytes.plusCarried(before);
      }
    }
    return bytes;
  }

  /** The same, with more to know. */
  public PlannedCheckpoint with(List<Finding> more) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(more);
    return new PlannedCheckpoint(
        location, checkpoint, rules, plan, sideFileChanges, all, bytesRead);
  }
}
