package org.shardmend.plan.alias;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.rules.NameEdit;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleExample;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleReach;
import org.shardmend.rules.RuleSet;

/**
 * Makes rules from evidence: as few as possible, each no wider than its trial on every load unit
 * allows. A rule that is wide and fails gives way to those that are made from single names.
 */
public final class RuleProposals {
  private static final String FAMILY = "proposed";
  private static final String ABOUT =
      "Proposed by plan --find-aliases from names that hold equal bytes or that a loader misses."
          + " Say here what saves such names, what loads the new ones, and when to use it.";

  private final List<Choice> choices = new ArrayList<>();
  private final List<RuleTrial> trials = new ArrayList<>();

  /**
   * A rule with what takes its place where it fails.
   *
   * @param trial the number of its trial
   */
  private record Choice(int trial, List<Choice> otherwise) {}

  private RuleProposals() {}

  /** What can be made of the evidence. */
  public static RuleProposals of(Collection<NameEvidence> evidence) {
    RuleProposals proposals = new RuleProposals();
    Map<NameEdit, List<NameEvidence>> changes = new LinkedHashMap<>();
    for (NameEvidence one : evidence) {
      NameEdit edit = one.edit();
      NameEdit change = new NameEdit(edit.before(), edit.from(), edit.to(), List.of());
      changes.computeIfAbsent(change, c -> new ArrayList<>()).add(one);
    }
    changes.values().forEach(proposals::add);
    return proposals;
  }

  /** What is to be tried; the results are numbered alike. */
  public List<RuleTrial> trials() {
    return List.copyOf(trials);
  }

  /**
   * The family of the rules that hold; empty when none does.
   *
   * @param holds the numbers of the trials that held on every load unit
   * @param layout the checkpoint's layout, one of {@link RuleFamily#LAYOUTS}
   */
  public Optional<RuleFamily> family(BitSet holds, String layout) {
    List<Rule> rules = new ArrayList<>();
    for (Choice choice : choices) {
      collect(choice, holds, layout, rules);
    }
    return rules.isEmpty() ? Optional.empty() : Optional.of(family(rules, layout));
  }

  private static RuleFamily family(List<Rule> rules, String layout) {
    return new RuleFamily(FAMILY, ABOUT, List.of(layout), false, rules);
  }

  private void collect(Choice choice, BitSet holds, String layout, List<Rule> rules) {
    if (!holds.get(choice.trial())) {
      choice.otherwise().forEach(other -> collect(other, holds, layout, rules));
      return;
    }
    List<Rule> more = new ArrayList<>(rules);
    more.add(trials.get(choice.trial()).rule());
    if (goTogether(more, layout)) {
      rules.add(trials.get(choice.trial()).rule());
    }
  }

  /** Whether each rule still does what its examples say beside the others. */
  private static boolean goTogether(List<Rule> rules, String layout) {
    if (rules.stream().map(Rule::from).distinct().count() < rules.size()) {
      return false;
    }
    RuleSet set = RuleSet.of(List.of(family(rules, layout)), layout);
    return rules.stream()
        .flatMap(rule -> rule.examples().stream())
        .allMatch(example -> set.outcome(example.from()) instanceof NameOutcome.Renamed);
  }

  /**
   * @param evidence all of one change behind one beginning
   */
  private void add(List<NameEvidence> evidence) {
    Map<String, List<NameEvidence>> byParameters = new LinkedHashMap<>();
    for (NameEvidence one : evidence) {
      String key =
          RuleReach.PARAMETERS
              .rule(one.edit(), one.examples())
              .map(Rule::from)
              .orElseGet(() -> one.edit().source());
      byParameters.computeIfAbsent(key, k -> new ArrayList<>()).add(one);
    }
    List<Choice> ofParameters = new ArrayList<>();
    byParameters
        .values()
        .forEach(some -> ofParameters.addAll(wide(RuleReach.PARAMETERS, some, sameNames(some))));
    choices.addAll(
        byParameters.size() == 1
            ? ofParameters
            : wide(RuleReach.ALL_BEHIND, evidence, ofParameters));
  }

  private List<Choice> wide(RuleReach reach, List<NameEvidence> evidence, List<Choice> otherwise) {
    return rule(reach, evidence)
        .map(rule -> List.of(new Choice(trial(rule, narrow(evidence)), otherwise)))
        .orElse(otherwise);
  }

  private List<Choice> sameNames(List<NameEvidence> evidence) {
    return narrow(evidence).stream()
        .map(rule -> new Choice(trial(rule, List.of(rule)), List.of()))
        .toList();
  }

  private int trial(Rule rule, List<Rule> evidence) {
    trials.add(new RuleTrial(rule, evidence));
    return trials.size() - 1;
  }

  private static List<Rule> narrow(List<NameEvidence> evidence) {
    return evidence.stream()
        .flatMap(one -> rule(RuleReach.SAME_NAMES, List.of(one)).stream())
        .toList();
  }

  private static Optional<Rule> rule(RuleReach reach, List<NameEvidence> evidence) {
    List<RuleExample> examples =
        evidence.stream().map(one -> one.examples().get(0)).distinct().limit(4).toList();
    return reach.rule(evidence.get(0).edit(), examples);
  }
}
