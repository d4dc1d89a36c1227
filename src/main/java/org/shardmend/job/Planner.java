package org.shardmend.job;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.Checkpoint;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.HeaderFindings;
import org.shardmend.checkpoint.ModuleNames;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.ComparisonResult;
import org.shardmend.plan.NamedUnit;
import org.shardmend.plan.Plan;
import org.shardmend.plan.UnitPlan;
import org.shardmend.rules.RuleSet;

/** The first half of every repair: discover, scan and plan, compare. Nothing is written. */
final class Planner {
  private final SparkJob job;
  private final PlanRequest request;
  private final CheckpointAccess access;

  Planner(SparkJob job, PlanRequest request) {
    this.job = job;
    this.request = request;
    this.access = new CheckpointAccess(request.checkpoint(), job.hadoop());
  }

  PlannedCheckpoint plan() throws JobException {
    long before = job.bytesRead();
    Checkpoint checkpoint = Discoveries.discover(job, access, request.discovery());
    refuse(RankSums.problems(checkpoint));
    RuleSet rules = request.rulesFor(checkpoint.layout());
    SideFileChanges sideFiles = sideFiles(checkpoint);
    List<ScanStage.Receipt> scans =
        ScanStage.run(job, access, NamedUnit.of(checkpoint), rules, request.dtypes());
    refuse(scans.stream().flatMap(scan -> scan.problems().stream()).distinct().toList());
    List<UnitPlan> unitPlans = spilled(scans);
    List<Comparison> open = unitPlans.stream().flatMap(unit -> unit.open().stream()).toList();
    List<ComparisonResult> results = CompareStage.run(job, access, open);
    Plan plan =
        Plan.of(
            checkpoint.layout().id(),
            unitPlans,
            results,
            sideFiles.digests(),
            rules.canonicalJson());
    UnaryOperator<String> modules = ModuleNames.following(tensor -> renamed(tensor, rules));
    List<Finding> findings = new ArrayList<>(findings(checkpoint, scans));
    if (plan.nothingToDo()) {
      findings.removeIf(FindingCode.CHECKSUM_LIST::isOf);
    }
    if (!request.rewrites().config() && !plan.nothingToDo()) {
      checkpoint
          .modelConfig()
          .flatMap(config -> ModuleNames.finding(config, modules))
          .ifPresent(findings::add);
    }
    return new PlannedCheckpoint(
        request.checkpoint(),
        checkpoint,
        rules,
        plan,
        sideFiles.of(plan, modules),
        findings,
        job.bytesRead() - before);
  }

  /** The units' plans, with what is too much for the heap on the driver's disk. */
  private static List<UnitPlan> spilled(List<ScanStage.Receipt> scans) throws JobException {
    DecisionSpill spill = new DecisionSpill(DecisionSpill.DEFAULT_HEAP_BYTES);
    List<UnitPlan> plans = new ArrayList<>();
    try {
      for (ScanStage.Receipt scan : scans) {
        plans.add(spill.keep(scan.plan()));
      }
      return plans;
    } catch (IOException e) {
      throw JobException.failed(
          "no-temporary-space",
          "The plan is too large for the driver's heap, and can't be put into its temporary"
              + " directory (java.io.tmpdir): "
              + e.getMessage(),
          e);
    }
  }

  private SideFileChanges sideFiles(Checkpoint checkpoint) throws JobException {
    try {
      return SideFileChanges.read(access, checkpoint, request.rewrites().config(), job::countRead);
    } catch (IOException e) {
      throw StorageFailures.toJobException(e);
    }
  }

  private void refuse(List<Finding> problems) throws JobException {
    if (!problems.isEmpty()) {
      throw JobException.of(CheckpointException.refused(request.checkpoint().toString(), problems));
    }
  }

  private static String renamed(String tensor, RuleSet rules) {
    return rules.outcome(tensor).fold(() -> tensor, renamed -> renamed.target(), refused -> tensor);
  }

  private static List<Finding> findings(Checkpoint checkpoint, List<ScanStage.Receipt> scans) {
    List<UnitSummary> summaries = scans.stream().map(ScanStage.Receipt::summary).toList();
    List<Finding> findings = new ArrayList<>(checkpoint.findings());
    findings.addAll(HeaderFindings.of(checkpoint, summaries));
    scans.forEach(scan -> findings.addAll(scan.findings()));
    IndexTotal.finding(checkpoint, summaries).ifPresent(findings::add);
    return findings;
  }
}
