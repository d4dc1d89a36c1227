package org.shardmend.job.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.HeaderFindings;
import org.shardmend.checkpoint.modules.ModuleConfig;
import org.shardmend.checkpoint.modules.ModuleNames;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.spark.StorageFailures;
import org.shardmend.plan.ComparisonResults;
import org.shardmend.plan.Plan;
import org.shardmend.plan.UnitPlan;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;

/** The first half of every repair: discover, scan and plan, compare. Nothing is written. */
public final class Planner {
  private final SparkJob job;
  private final PlanRequest request;
  private final CheckpointAccess access;

  public Planner(SparkJob job, PlanRequest request) {
    this.job = job;
    this.request = request;
    this.access = new CheckpointAccess(request.checkpoint(), job.hadoop());
  }

  public PlannedCheckpoint plan() throws JobException {
    long before = job.bytesRead();
    Checkpoint checkpoint = Discoveries.discover(job, access, request.discovery());
    requireHuggingFace(checkpoint);
    refuse(checkpoint.layout().wrongSums());
    RuleSet rules = request.rulesFor(checkpoint.layout().kind());
    SideFileChanges sideFiles = sideFiles(checkpoint);
    DecisionSpill spill = new DecisionSpill(DecisionSpill.DEFAULT_HEAP_BYTES);
    List<UnitPlan> unitPlans = new ArrayList<>();
    List<ScanStage.Receipt> scans;
    ComparisonResults results;
    try {
      scans = ScanStage.run(job, access, NamedUnit.of(checkpoint), rules, request.dtypes(), spill);
      refuse(scans.stream().flatMap(scan -> scan.problems().stream()).distinct().toList());
      scans.forEach(scan -> unitPlans.add(scan.plan()));
      results = CompareStage.run(job, access, unitPlans, spill);
      settle(unitPlans, results, spill);
    } catch (UncheckedIOException e) {
      throw noTemporarySpace(e.getCause());
    }
    Plan plan =
        Plan.of(
            checkpoint.layout().kind().id(),
            unitPlans,
            results,
            sideFiles.digests(),
            rules.canonicalJson());
    UnaryOperator<String> modules = ModuleNames.following(tensor -> renamed(tensor, rules));
    List<Finding> findings = new ArrayList<>(findings(checkpoint, scans));
    if (plan.nothingToDo()) {
      findings.removeIf(FindingCode.CHECKSUM_LIST::isOf);
    }
    ConfigPatterns patterns = ConfigPatterns.NONE;
    if (!plan.nothingToDo() && !plan.refused()) {
      patterns = ConfigPatternStage.run(job, access, checkpoint, rules, modules, request.dtypes());
      findings.addAll(configFindings(checkpoint, modules, patterns));
    }
    SortedMap<String, String> indexed =
        request.rewrites().index() && checkpoint.layout().indexFile().isPresent()
            ? IndexStage.run(job, access, checkpoint, request.dtypes())
            : new TreeMap<>();
    if (request.rewrites().index()) {
      findings.removeIf(FindingCode.INDEX_TOTAL_SIZE::isOf);
    }
    return new PlannedCheckpoint(
        request.checkpoint(),
        checkpoint,
        rules,
        plan,
        sideFiles.of(plan, modules, patterns, indexed),
        findings,
        job.bytesRead() - before);
  }

  /** Refuses what was asked for where it means nothing in the checkpoint's layout. */
  private void requireHuggingFace(Checkpoint checkpoint) throws JobException {
    boolean asked = request.rewrites().index() || !request.rewrites().format().isEmpty();
    if (asked && checkpoint.layout().indexFile().isEmpty()) {
      throw JobException.usage(
          "option-without-meaning",
          "--rewrite-index and --set-format are for models in the Hugging Face layout, and %s is %s: leave them out"
              .formatted(request.checkpoint(), checkpoint.layout().kind().id()));
    }
  }

  /** What configs say of modules that are called otherwise, or were before they are rewritten. */
  private List<Finding> configFindings(
      Checkpoint checkpoint, UnaryOperator<String> modules, ConfigPatterns patterns)
      throws JobException {
    if (request.rewrites().config()) {
      refuse(patterns.withoutReplacement());
      return patterns.untried();
    }
    List<Finding> findings = new ArrayList<>();
    for (ModuleConfig config : checkpoint.moduleConfigs()) {
      ModuleNames.finding(config, modules).ifPresent(findings::add);
    }
    findings.addAll(patterns.findings());
    return findings;
  }

  /** Refuses what met different bytes. */
  private static void settle(List<UnitPlan> plans, ComparisonResults results, DecisionSpill spill) {
    Map<UnitId, Integer> places = new HashMap<>();
    for (int i = 0; i < plans.size(); i++) {
      places.put(plans.get(i).unit(), i);
    }
    results.byUnit(
        (unit, different) -> {
          int place = places.get(unit);
          plans.set(place, spill.keep(plans.get(place).settled(different)));
        });
  }

  private static JobException noTemporarySpace(IOException failure) {
    return JobException.failed(
        "no-temporary-space",
        "The plan is too large for the driver's heap, and can't be put into its temporary"
            + " directory (java.io.tmpdir): "
            + failure.getMessage(),
        failure);
  }

  private SideFileChanges sideFiles(Checkpoint checkpoint) throws JobException {
    try {
      return SideFileChanges.read(access, checkpoint, request.rewrites(), job::countRead);
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
    scans.stream().flatMap(scan -> scan.findings().stream()).distinct().forEach(findings::add);
    checkpoint
        .layout()
        .wrongTotal(summaries.stream().mapToLong(UnitSummary::bytes).sum())
        .ifPresent(findings::add);
    findings.addAll(WrappedNames.findings(scans.stream().map(ScanStage.Receipt::wrapped).toList()));
    return findings;
  }
}
