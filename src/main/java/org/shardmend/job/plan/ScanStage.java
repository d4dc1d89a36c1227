package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.PackedComparisons;
import org.shardmend.plan.UnitPlan;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads every header once and plans each load unit, a task a unit. */
public final class ScanStage {
  private ScanStage() {}

  /**
   * What a scan task found.
   *
   * @param plan the unit's plan; without shards when there are problems
   * @param summary what is compared between units; of no tensors when there are problems
   * @param problems what makes the unit unreadable for a loader, each an error
   * @param findings what a user should know of the unit
   * @param wrapped names that no loader expects and the rules leave as they are
   */
  public record Receipt(
      UnitPlan plan,
      UnitSummary summary,
      ArrayList<Finding> problems,
      ArrayList<Finding> findings,
      WrappedNames wrapped)
      implements Serializable {

    private Receipt kept(DecisionSpill spill) {
      return new Receipt(spill.keep(plan), summary, problems, findings, wrapped);
    }

    static Receipt malformed(NamedUnit unit, List<Finding> problems) {
      return new Receipt(
          new UnitPlan(unit.id(), List.of(), PackedComparisons.NONE),
          UnitSummary.ofShards(unit.id(), List.of()),
          new ArrayList<>(problems),
          new ArrayList<>(),
          WrappedNames.none());
    }
  }

  /**
   * Scans and plans.
   *
   * @param spill keeps what is too much for the heap of the plans, as they arrive
   * @throws java.io.UncheckedIOException when it can't
   */
  static List<Receipt> run(
      SparkJob job,
      CheckpointAccess access,
      List<NamedUnit> units,
      RuleSet rules,
      UnknownDtypes dtypes,
      DecisionSpill spill)
      throws JobException {
    SharedHeaderStage shared = SharedHeaderStage.read(job, access, units, dtypes);
    return job.runKeeping(
        "Read headers and plan",
        0,
        units,
        (unit, meter) -> scan(access, unit, rules, dtypes, shared, meter),
        receipt -> receipt.kept(spill));
  }

  /** Reads and plans one unit. */
  public static Receipt scan(
      CheckpointAccess access,
      NamedUnit unit,
      RuleSet rules,
      UnknownDtypes dtypes,
      SharedHeaderStage shared,
      LongConsumer meter)
      throws IOException {
    UnitHeaders headers = UnitHeaders.read(access, unit, dtypes, shared, meter);
    if (!headers.problems().isEmpty()) {
      return Receipt.malformed(unit, headers.problems());
    }
    try {
      return new Receipt(
          unit.names().plan(unit.id(), headers.shards(), rules, dtypes),
          headers.summary(unit),
          new ArrayList<>(),
          new ArrayList<>(headers.findings()),
          WrappedNames.of(headers.tensors(), rules));
    } catch (SafetensorsException e) {
      String message = "%s: %s".formatted(unit.id().label(), e.getMessage());
      return Receipt.malformed(unit, List.of(FindingCode.UNWRITABLE_NAMES.finding("", message)));
    }
  }
}
