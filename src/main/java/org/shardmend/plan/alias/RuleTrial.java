package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.plan.Action;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.Decision;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.UnitDecisions;
import org.shardmend.plan.UnitPlanner;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;

/**
 * A proposed rule before it is proposed: on every load unit it must do nothing but what there is
 * evidence for.
 *
 * @param rule what is tried
 * @param evidence narrower rules, each made from names that were seen to be one tensor; where no
 *     state is expected, only names that one of them matches may be renamed
 */
public record RuleTrial(Rule rule, List<Rule> evidence) implements Serializable {
  private static final String FAMILY = "trial";

  /** Copies the list, so that the value can't change. */
  public RuleTrial {
    evidence = List.copyOf(evidence);
  }

  /**
   * What a rule does to one load unit.
   *
   * @param holds whether everything that it does is right, if the open comparisons find equal bytes
   * @param open what must be equal for that
   */
  public record Result(boolean holds, List<Comparison> open) {
    /** Copies the list, so that the value can't change. */
    public Result {
      open = List.copyOf(open);
    }
  }

  /**
   * Tries the rule.
   *
   * @param tensors what the unit holds
   * @param expected what its loader expects, where that is known
   * @param layout the checkpoint's layout, one of {@link RuleFamily#LAYOUTS}
   */
  public Result on(
      UnitId unit,
      List<NamedTensor> tensors,
      Optional<Map<String, ExpectedTensor>> expected,
      String layout) {
    RuleFamily family =
        new RuleFamily(FAMILY, "For a trial.", List.of(layout), false, List.of(rule));
    UnitDecisions decisions =
        UnitPlanner.decide(unit, tensors, RuleSet.of(List.of(family), layout));
    for (Decision change : decisions.changes()) {
      if (!isRight(change, expected)) {
        return new Result(false, List.of());
      }
    }
    return new Result(true, decisions.open());
  }

  private boolean isRight(Decision change, Optional<Map<String, ExpectedTensor>> expected) {
    boolean wanted =
        expected
            .map(state -> !state.containsKey(change.tensor()) && state.containsKey(change.target()))
            .orElseGet(() -> change.action() == Action.DROP || isEvident(change.tensor()));
    return wanted && change.action() != Action.REFUSE;
  }

  private boolean isEvident(String name) {
    return evidence.stream().anyMatch(narrow -> narrow.apply(name).isPresent());
  }
}
