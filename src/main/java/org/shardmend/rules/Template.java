package org.shardmend.rules;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name that a rule gives, with holes: literal text, and {@code ${group}} for what a named group
 * of the pattern matched.
 */
final class Template implements Serializable {
  private static final long serialVersionUID = 1L;

  /** More characters than any header holds sensibly; a guard against a template that multiplies. */
  static final int MAX_RESULT = 1_000_000;

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(?<group>[^{}]*)\\}");
  private static final Pattern GROUP_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9]*");

  private final List<Part> parts;

  private Template(List<Part> parts) {
    this.parts = List.copyOf(parts);
  }

  /**
   * Reads a template.
   *
   * @throws InvalidRuleException if a reference is malformed, or a character is not allowed here
   */
  static Template of(String to) {
    List<Part> parts = new ArrayList<>();
    Matcher reference = REFERENCE.matcher(to);
    int end = 0;
    while (reference.find()) {
      addLiteral(parts, to.substring(end, reference.start()));
      parts.add(new Group(checkedGroupName(reference.group("group"))));
      end = reference.end();
    }
    addLiteral(parts, to.substring(end));
    return new Template(parts);
  }

  private static void addLiteral(List<Part> parts, String text) {
    if (text.indexOf('$') >= 0) {
      throw new InvalidRuleException(
          "to",
          "There is a '$' that begins no group reference.",
          "Name the group in the pattern, (?<group>...), and write ${group}; groups have no numbers"
              + " here.");
    }
    if (text.indexOf('\\') >= 0) {
      throw new InvalidRuleException(
          "to",
          "There is a backslash.",
          "This is plain text and not a pattern: write a dot as '.', without a backslash.");
    }
    if (!text.isEmpty()) {
      parts.add(new Literal(text));
    }
  }

  private static String checkedGroupName(String group) {
    if (!GROUP_NAME.matcher(group).matches()) {
      throw new InvalidRuleException(
          "to",
          String.format("${%s} is no group reference.", Quoted.brief(group)),
          "A group's name is a letter, then letters and digits: ${group}, or ${group2}.");
    }
    return group;
  }

  /**
   * Fills the holes.
   *
   * @param name the name that was matched
   * @param match a successful match on it; a group that took no part in it leaves its hole empty
   * @throws InvalidRuleException if the pattern has no such group
   * @throws RuleLimitException if the result would be longer than {@link #MAX_RESULT} characters
   */
  String fill(String name, Matcher match) {
    StringBuilder result = new StringBuilder(name.length());
    for (Part part : parts) {
      part.appendTo(result, name, match);
      if (result.length() > MAX_RESULT) {
        throw new RuleLimitException(
            String.format("its result would be longer than %,d characters", MAX_RESULT));
      }
    }
    return result.toString();
  }

  private sealed interface Part extends Serializable {
    void appendTo(StringBuilder result, String name, Matcher match);
  }

  private record Literal(String text) implements Part {
    @Override
    public void appendTo(StringBuilder result, String name, Matcher match) {
      result.append(text);
    }
  }

  private record Group(String group) implements Part {
    @Override
    public void appendTo(StringBuilder result, String name, Matcher match) {
      int start = startOf(match);
      if (start >= 0) {
        result.append(name, start, match.end(group));
      }
    }

    /** The JDK says only through this exception that a pattern has no group of that name. */
    private int startOf(Matcher match) {
      try {
        return match.start(group);
      } catch (IllegalArgumentException e) {
        InvalidRuleException invalid =
            new InvalidRuleException(
                "to",
                String.format("${%s} names no group of the pattern.", group),
                String.format("Add (?<%s>...) to the pattern, or correct the name.", group));
        invalid.initCause(e);
        throw invalid;
      }
    }
  }
}
