package org.shardmend.job;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.plan.UnitPlan;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads every header once and plans each load unit, a task a unit. */
final class ScanStage {
  private ScanStage() {}

  /**
   * What a scan task found.
   *
   * @param plan the unit's plan; without shards when there are problems
   * @param summary what is compared between units; of no tensors when there are problems
   * @param problems what makes the unit unreadable for a loader, each an error
   */
  record Receipt(UnitPlan plan, UnitSummary summary, ArrayList<Finding> problems)
      implements Serializable {

    static Receipt malformed(LoadUnit unit, List<Finding> problems) {
      return new Receipt(
          new UnitPlan(unit.id(), List.of(), List.of()),
          UnitSummary.ofShards(unit.id(), List.of()),
          new ArrayList<>(problems));
    }
  }

  static List<Receipt> run(
      SparkJob job,
      CheckpointAccess access,
      List<LoadUnit> units,
      RuleSet rules,
      UnknownDtypes dtypes)
      throws JobException {
    return job.run(
        "Read headers and plan", 0, units, (unit, meter) -> scan(access, unit, rules, dtypes));
  }

  private static Receipt scan(
      CheckpointAccess access, LoadUnit unit, RuleSet rules, UnknownDtypes dtypes)
      throws IOException {
    UnitHeaders headers = UnitHeaders.read(access, unit, dtypes);
    if (!headers.problems().isEmpty()) {
      return Receipt.malformed(unit, headers.problems());
    }
    try {
      return new Receipt(
          UnitPlan.of(unit.id(), headers.shards(), rules, dtypes),
          UnitSummary.ofShards(unit.id(), headers.shards()),
          new ArrayList<>());
    } catch (SafetensorsException e) {
      String message = "%s: %s".formatted(unit.id().label(), e.getMessage());
      return Receipt.malformed(
          unit,
          List.of(
              new Finding("names-collide", Severity.ERROR, unit.shards().get(0).name(), message)));
    }
  }
}
