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
 * <p>Families are applied one after the other: what one makes of a name is the next one's. A name
 * is renamed only when that comes to an end at which no rule matches, with each family applied at
 * most once, and when every order of rules that match together comes to the same end. A repaired
 * checkpoint therefore has nothing left to repair.
 */
public final class RuleSet implements Serializable {
  private static final long serialVersionUID = 1L;

  /** The one key of a safetensors header that is not a tensor's name. */
  private static final String METADATA = "__metadata__";

  /** Stands between the ids of rules that work together. */
  private static final String SEPARATOR = ", ";

  /** Of so many rules that match one name every order is tried. */
  private static final int MOST_AT_ONCE = 4;

  private final List<RuleFamily> families;
  private final List<ActiveRule> rules;

  private RuleSet(List<RuleFamily> families) {
    this.families = List.copyOf(families);
    this.rules =
        families.stream()
            .flatMap(
                family ->
                    IntStream.range(0, family.rules().size())
                        .mapToObj(
                            i ->
                                new ActiveRule(
                                    family.ruleId(i), family.name(), family.rules().get(i))))
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
    return matchesOf(name).isEmpty() ? new NameOutcome.Unchanged() : follow(name, List.of());
  }

  /**
   * Applies families one after the other, each at most once, until no rule matches. Where several
   * match, their order must make no difference.
   *
   * @param applied what has led to {@code name}
   */
  private NameOutcome follow(String name, List<Match> applied) {
    List<Match> matches = matchesOf(name);
    if (matches.isEmpty()) {
      return new NameOutcome.Renamed(name, ids(applied));
    }
    if (matches.stream().anyMatch(match -> applied.stream().anyMatch(match::isOfFamilyOf))) {
      return changedAgain(applied.get(applied.size() - 1), matches);
    }
    if (matches.size() > MOST_AT_ONCE || isOneFamilyTwiceIn(matches)) {
      return severalRules(matches);
    }
    List<NameOutcome> outcomes = new ArrayList<>();
    for (Match match : matches) {
      Optional<NameOutcome.Refused> bad = refusal(name, match);
      outcomes.add(bad.isPresent() ? bad.get() : follow(match.target(), with(applied, match)));
    }
    NameOutcome first = outcomes.get(0);
    return outcomes.stream().allMatch(outcome -> isSame(first, outcome))
        ? first
        : severalRules(matches);
  }

  private static boolean isOneFamilyTwiceIn(List<Match> matches) {
    return matches.stream().map(Match::family).distinct().count() < matches.size();
  }

  private static List<Match> with(List<Match> applied, Match next) {
    List<Match> all = new ArrayList<>(applied);
    all.add(next);
    return all;
  }

  /** Whether two orders come to one name by the same rules; rules that only agree do not. */
  private static boolean isSame(NameOutcome one, NameOutcome other) {
    return one.equals(other)
        || (one instanceof NameOutcome.Renamed left
            && other instanceof NameOutcome.Renamed right
            && left.target().equals(right.target())
            && Set.of(left.rule().split(SEPARATOR)).equals(Set.of(right.rule().split(SEPARATOR))));
  }

  private List<Match> matchesOf(String name) {
    List<Match> matches = new ArrayList<>();
    for (ActiveRule rule : rules) {
      rule.apply(name)
          .ifPresent(target -> matches.add(new Match(rule.id(), rule.family(), target)));
    }
    return matches;
  }

  /** Why a rule's result is no name that the tensor could have. */
  private static Optional<NameOutcome.Refused> refusal(String name, Match match) {
    String why = "";
    if (match.target().equals(name)) {
      why = "matches the name and leaves the name as it is; narrow its pattern.";
    } else if (match.target().isEmpty()) {
      why = "would leave nothing of the name; narrow its pattern.";
    } else if (match.target().equals(METADATA)) {
      why =
          String.format(
              "would name the tensor '%s', which the format keeps for the header's metadata;"
                  + " correct its result.",
              METADATA);
    }
    return why.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new NameOutcome.Refused(String.format("Rule %s %s", match.rule(), why), match.rule()));
  }

  private static NameOutcome changedAgain(Match first, List<Match> again) {
    String others = ids(again);
    return new NameOutcome.Refused(
        String.format(
            "Rule %s makes %s of it, which would be changed again by %s; leave one of the families"
                + " out, or narrow the pattern.",
            first.rule(), Quoted.name(first.target()), others),
        others.equals(first.rule()) ? others : first.rule() + SEPARATOR + others);
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
    return matches.stream().map(Match::rule).collect(Collectors.joining(SEPARATOR));
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

  private record Match(String rule, String family, String target) {
    boolean isOfFamilyOf(Match other) {
      return family.equals(other.family);
    }
  }

  private record ActiveRule(String id, String family, Rule rule) implements Serializable {
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
