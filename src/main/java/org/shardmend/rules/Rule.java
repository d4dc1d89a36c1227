package org.shardmend.rules;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * One change of names: a pattern that must match a whole name, and the name that then results.
 * Immutable; it cannot be built with a pattern, a reference or an example that does not hold.
 *
 * <p>The pattern is a {@link Pattern}, in which {@code .} also matches line breaks: a name is any
 * string.
 */
public final class Rule implements Serializable {
  private static final long serialVersionUID = 1L;

  private final String from;
  private final String to;
  private final List<RuleExample> examples;
  private final Pattern pattern;
  private final Template template;

  private Rule(
      String from, String to, List<RuleExample> examples, Pattern pattern, Template template) {
    this.from = from;
    this.to = to;
    this.examples = examples;
    this.pattern = pattern;
    this.template = template;
  }

  /**
   * A rule that holds for its examples.
   *
   * @param from a regular expression with named groups
   * @param to the resulting name; {@code ${group}} stands for what the group matched
   * @param examples at least one
   * @throws IllegalArgumentException if the pattern or the result is malformed, there is no
   *     example, or an example does not hold; the message says which and what to do
   */
  public static Rule of(String from, String to, List<RuleExample> examples) {
    if (examples.isEmpty()) {
      throw new InvalidRuleException(
          "examples", "There is no example.", "Add one: [\"name before\", \"name after\"].");
    }
    Rule rule = new Rule(from, to, List.copyOf(examples), compile(from), Template.of(to));
    PatternTrial.run(
        rule.pattern, examples.stream().map(RuleExample::from).toList(), PatternTrial.PATIENCE);
    for (int i = 0; i < examples.size(); i++) {
      rule.check(examples.get(i), "examples[" + i + "]");
    }
    return rule;
  }

  private static Pattern compile(String from) {
    try {
      return Pattern.compile(from, Pattern.DOTALL);
    } catch (PatternSyntaxException e) {
      throw new InvalidRuleException(
          "from",
          String.format(
              "This is no regular expression: %s%s.",
              e.getDescription(),
              e.getIndex() < 0 ? "" : String.format(", at character %d of it", e.getIndex() + 1)),
          "Correct it; groups are written (?<group>...), and a group's name is a letter, then"
              + " letters and digits.");
    }
  }

  private void check(RuleExample example, String place) {
    if (example.from().equals(example.to())) {
      throw new InvalidRuleException(
          place, "Both names are the same.", "An example shows a name that the rule changes.");
    }
    String result =
        applyWithin(example, place)
            .orElseThrow(
                () ->
                    new InvalidRuleException(
                        place + "[0]",
                        String.format(
                            "The pattern does not match this name, %s.",
                            Quoted.name(example.from())),
                        "A pattern must match the whole name, from its first character to its last:"
                            + " correct the pattern or the example."));
    if (!result.equals(example.to())) {
      throw new InvalidRuleException(
          place + "[1]",
          String.format(
              "The rule makes %s of %s, but the example expects %s.",
              Quoted.name(result), Quoted.name(example.from()), Quoted.name(example.to())),
          "Correct the rule or the example.");
    }
  }

  private Optional<String> applyWithin(RuleExample example, String place) {
    try {
      return apply(example.from());
    } catch (RuleLimitException e) {
      InvalidRuleException invalid =
          new InvalidRuleException(
              place + "[0]",
              String.format("The rule cannot be applied: %s.", e.getMessage()),
              "Write the pattern without nested or overlapping repetitions.");
      invalid.initCause(e);
      throw invalid;
    }
  }

  /** The pattern, as the rule file has it. */
  public String from() {
    return from;
  }

  /** The result with its {@code ${group}} references, as the rule file has it. */
  public String to() {
    return to;
  }

  /** The examples; at least one. */
  public List<RuleExample> examples() {
    return examples;
  }

  /**
   * The name that this rule makes of {@code name}, or empty when the pattern does not match the
   * whole of it. The result may equal {@code name} or be empty: judging it is {@link RuleSet}'s
   * part.
   *
   * @throws RuleLimitException if the answer would take more steps, deeper recursion or a longer
   *     result than is allowed
   */
  public Optional<String> apply(String name) {
    Matcher match = pattern.matcher(new BoundedText(name));
    return matches(match, name) ? Optional.of(template.fill(name, match)) : Optional.empty();
  }

  private static boolean matches(Matcher match, String name) {
    try {
      return match.matches();
    } catch (StackOverflowError e) {
      throw new RuleLimitException(
          String.format(
              "its pattern recurses too deeply on a name of %,d characters", name.length()));
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Rule rule
        && from.equals(rule.from)
        && to.equals(rule.to)
        && examples.equals(rule.examples);
  }

  @Override
  public int hashCode() {
    return Objects.hash(from, to, examples);
  }

  @Override
  public String toString() {
    return from + " -> " + to;
  }
}
