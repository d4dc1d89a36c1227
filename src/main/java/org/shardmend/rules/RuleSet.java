package org.shardmend.rules;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.Serializable;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The families active for one layout, and their common verdict on a name. Immutable; the order in
 * which families are given makes no difference.
 *
 * <p>A name is renamed only when exactly one rule matches it and no rule matches the result.
 * Renaming is therefore done after one pass: a repaired checkpoint has nothing left to repair.
 */
public final class RuleSet implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The one key of a safetensors header that is not a tensor's name. */
  private static final String METADATA = "__metadata__";

  private final List<RuleFamily> families;
  private final List<ActiveRule> rules;

  private RuleSet(List<RuleFamily> families) {
    this.families = List.copyOf(families);
    this.rules =
        families.stream()
            .flatMap(
                family ->
                    IntStream.range(0, family.rules().size())
                        .mapToObj(i -> new ActiveRule(family.ruleId(i), family.rules().get(i))))
            .toList();
  }

  /**
   * The families among {@code families} that are for a layout.
   *
   * @param layoutId one of {@link RuleFamily#LAYOUTS}
   * @throws IllegalArgumentException if there is no such layout, or two families have one name
   */
  public static RuleSet of(List<RuleFamily> families, String layoutId) {
    if (!RuleFamily.LAYOUTS.contains(layoutId)) {
      throw new IllegalArgumentException(
          String.format("'%s' is no layout; use one of %s", layoutId, RuleFamily.LAYOUTS));
    }
    Set<String> names = new HashSet<>();
    for (RuleFamily family : families) {
      if (!names.add(family.name())) {
        throw new IllegalArgumentException(
            String.format(
                "Two families are named '%s'; give each a name of its own, or name it once",
                family.name()));
      }
    }
    return new RuleSet(
        families.stream()
            .filter(family -> family.isFor(layoutId))
            .sorted(Comparator.comparing(RuleFamily::name))
            .toList());
  }

  /** The active families, by name. */
  public List<RuleFamily> families() {
    return families;
  }

  /**
   * What the rules say about a name. A pure function: the same set and name give the same outcome.
   */
  public NameOutcome outcome(String name) {
    try {
      return judge(name);
    } catch (RuleBeyondLimits e) {
      return new NameOutcome.Refused(e.getMessage(), e.rule);
    }
  }

  private NameOutcome judge(String name) {
    List<Match> matches = matchesOf(name);
    return switch (matches.size()) {
      case 0 -> new NameOutcome.Unchanged();
      case 1 -> judgeResult(name, matches.get(0));
      default -> severalRules(matches);
    };
  }

  private List<Match> matchesOf(String name) {
    List<Match> matches = new ArrayList<>();
    for (ActiveRule rule : rules) {
      rule.apply(name).ifPresent(target -> matches.add(new Match(rule.id(), target)));
    }
    return matches;
  }

  private NameOutcome judgeResult(String name, Match match) {
    String target = match.target();
    if (target.equals(name)) {
      return new NameOutcome.Refused(
          String.format(
              "Rule %s matches the name and leaves the name as it is; narrow its pattern.",
              match.rule()),
          match.rule());
    }
    if (target.isEmpty()) {
      return new NameOutcome.Refused(
          String.format(
              "Rule %s would leave nothing of the name; narrow its pattern.", match.rule()),
          match.rule());
    }
    if (target.equals(METADATA)) {
      return new NameOutcome.Refused(
          String.format(
              "Rule %s would name the tensor '%s', which the format keeps for the header's"
                  + " metadata; correct its result.",
              match.rule(), METADATA),
          match.rule());
    }
    List<Match> again = matchesOf(target);
    return again.isEmpty()
        ? new NameOutcome.Renamed(target, match.rule())
        : changedAgain(match, again);
  }

  private static NameOutcome changedAgain(Match first, List<Match> again) {
    String others = ids(again);
    return new NameOutcome.Refused(
        String.format(
            "Rule %s makes %s of it, which would be changed again by %s; leave one of the families"
                + " out, or narrow the pattern.",
            first.rule(), Quoted.name(first.target()), others),
        others.equals(first.rule()) ? others : first.rule() + ", " + others);
  }

  private static NameOutcome severalRules(List<Match> matches) {
    String rules = ids(matches);
    return new NameOutcome.Refused(
        String.format(
            "Several rules match the name: %s; leave all but one of them out, or narrow their"
                + " patterns.",
            rules),
        rules);
  }

  private static String ids(List<Match> matches) {
    return matches.stream().map(Match::rule).collect(Collectors.joining(", "));
  }

  /**
   * The active families' names with their rules' patterns and results, as JSON without white space,
   * families by name and rules in their file's order. Equal texts mean equal outcomes for every
   * name.
   */
  public String canonicalJson() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.writeStartArray();
      for (RuleFamily family : families) {
        write(family, json);
      }
      json.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException("Writing to memory failed", e);
    }
    return text.toString();
  }

  private static void write(RuleFamily family, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", family.name());
    json.writeArrayFieldStart("rules");
    for (Rule rule : family.rules()) {
      json.writeStartObject();
      json.writeStringField("from", rule.from());
      json.writeStringField("to", rule.to());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private record Match(String rule, String target) {}

  private record ActiveRule(String id, Rule rule) implements Serializable {
    Optional<String> apply(String name) {
      try {
        return rule.apply(name);
      } catch (RuleLimitException e) {
        throw new RuleBeyondLimits(id, e);
      }
    }
  }

  /** Carries the rule's id from where it failed to where the name is refused. */
  private static final class RuleBeyondLimits extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;

    RuleBeyondLimits(String rule, RuleLimitException cause) {
      super(
          String.format(
              "Rule %s cannot be applied: %s; rewrite its pattern without nested or overlapping"
                  + " repetitions.",
              rule, cause.getMessage()),
          cause);
      this.rule = rule;
    }
  }
}
