package org.shardmend.job;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.plan.NamedUnit;
import org.shardmend.plan.RuleProposals;
import org.shardmend.rules.NameOutcome;
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
   * Searches.
   *
   * @throws JobException as {@link PlanAction#execute}, also for the checkpoint that the
   *     expectation is taken from
   */
  public FoundAliases execute() throws JobException {
    String layout = planned.checkpoint().layout().id();
    RuleSet active = planned.rules();
    Location location = request.checkpoint();
    Optional<ExpectedState> expected = expectation.state(job, request);
    AliasStage stage =
        new AliasStage(
            job,
            new CheckpointAccess(location, job.hadoop()),
            UnitTask.of(NamedUnit.of(planned.checkpoint()), expected),
            request.dtypes());
    AliasStage.Receipt found = stage.search(active);
    RuleProposals proposals = RuleProposals.of(found.renamed());
    BitSet holding = stage.holding(proposals.trials(), layout);
    Optional<RuleFamily> family = proposals.family(holding, layout);
    return new FoundAliases(
        found.equal(),
        found.renamed(),
        family,
        family.map(proposed -> meet(active, proposed, layout)).orElse(false));
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
