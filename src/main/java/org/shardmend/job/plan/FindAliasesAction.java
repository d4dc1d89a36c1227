package org.shardmend.job.plan;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.layout.CheckpointLayout.OriginalModel;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.alias.NameCount;
import org.shardmend.plan.alias.NameEvidence;
import org.shardmend.plan.alias.RuleProposals;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleExample;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;
import org.shardmend.storage.Location;

/**
 * Looks for families of names that nobody has reported yet, and proposes rules for them. Reads
 * headers, and the bytes of tensors that may be equal.
 */
public final class FindAliasesAction {
  private final SparkJob job;
  private final PlanRequest request;
  private final PlannedCheckpoint planned;
  private Expectation expectation = Expectation.none();
  private Location sourceModel;

  /**
   * An action on a checkpoint that was planned, so that its headers are known to be sound.
   *
   * @param request what it was planned with
   */
  public FindAliasesAction(SparkJob job, PlanRequest request, PlannedCheckpoint planned) {
    this.job = job;
    this.request = request;
    this.planned = planned;
  }

  /** Goes by what loaders expect. */
  public FindAliasesAction expecting(Expectation state) {
    this.expectation = state;
    return this;
  }

  /**
   * Proves names by the bytes of this original model, where the checkpoint's layout is that of the
   * model: other layouts hold slices of its tensors, and fused ones.
   */
  public FindAliasesAction sourceModel(Location model) {
    this.sourceModel = model;
    return this;
  }

  /**
   * Searches.
   *
   * @throws JobException as {@link PlanAction#execute}, also for the checkpoint that the
   *     expectation is taken from
   */
  public FoundAliases execute() throws JobException {
    String layout = planned.checkpoint().layout().kind().id();
    RuleSet active = planned.rules();
    Location location = request.checkpoint();
    Optional<ExpectedUnits> expected = expectation.units(job, request);
    AliasStage stage =
        new AliasStage(
            job,
            new CheckpointAccess(location, job.hadoop()),
            UnitInput.of(NamedUnit.of(planned.checkpoint()), expected),
            request.dtypes());
    AliasStage.Receipt found = stage.search(active, healthy());
    RuleProposals proposals = RuleProposals.of(found.renamed());
    BitSet holding = stage.holding(proposals.trials(), layout);
    Optional<RuleFamily> family = proposals.family(holding, layout);
    List<NameCount> unexpected = new ArrayList<>(found.unexpected());
    List<NameCount> missing = new ArrayList<>(found.missing());
    for (NameEvidence evidence : found.renamed()) {
      if (!isProposed(evidence, family)) {
        RuleExample example = evidence.examples().get(0);
        unexpected.add(new NameCount(evidence.edit().source(), evidence.count(), example.from()));
        missing.add(new NameCount(evidence.edit().target(), evidence.count(), example.to()));
      }
    }
    return new FoundAliases(
        found.equal(),
        found.renamed(),
        found.ambiguous(),
        expected.isPresent() ? NameCount.together(unexpected) : List.of(),
        expected.isPresent() ? NameCount.together(missing) : List.of(),
        found.compared(),
        family,
        family.map(proposed -> meet(active, proposed, layout)).orElse(false));
  }

  /** Whether the rules do what there is evidence for; those of which a trial failed don't. */
  private static boolean isProposed(NameEvidence evidence, Optional<RuleFamily> family) {
    RuleExample example = evidence.examples().get(0);
    return family.stream()
        .flatMap(proposed -> proposed.rules().stream())
        .anyMatch(rule -> rule.apply(example.from()).equals(Optional.of(example.to())));
  }

  private Optional<AliasStage.Healthy> healthy() throws JobException {
    Optional<Location> location = expectation.healthy();
    DiscoveryOptions discovery = request.discovery();
    if (location.isEmpty()
        && planned.checkpoint().layout().originalModel() == OriginalModel.ALIKE) {
      location = Optional.ofNullable(sourceModel);
      discovery = DiscoveryOptions.defaults().withLayout(Layout.HUGGINGFACE);
    }
    if (location.isEmpty()) {
      return Optional.empty();
    }
    CheckpointAccess access = new CheckpointAccess(location.get(), job.hadoop());
    List<NamedUnit> units = NamedUnit.of(Discoveries.discover(job, access, discovery));
    return Optional.of(
        new AliasStage.Healthy(
            access, units, SharedHeaderStage.read(job, access, units, request.dtypes())));
  }

  private static boolean meet(RuleSet active, RuleFamily proposed, String layout) {
    List<RuleFamily> all = new ArrayList<>(active.families());
    if (all.stream().anyMatch(family -> family.name().equals(proposed.name()))) {
      return true;
    }
    all.add(proposed);
    RuleSet together = RuleSet.of(all, layout);
    return proposed.rules().stream()
        .flatMap(rule -> rule.examples().stream())
        .anyMatch(example -> !(together.outcome(example.from()) instanceof NameOutcome.Renamed));
  }
}
