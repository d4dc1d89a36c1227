package org.shardmend.rules;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How far a rule that is made from an edit reaches: which names besides the ones that gave it
 * change with them. In every reach, layers of all numbers are one.
 */
public enum RuleReach {
  /** Every parameter of the modules concerned: the last segment of the name is left open. */
  PARAMETERS {
    @Override
    Optional<String> rest(List<String> after) {
      if (after.isEmpty()) {
        return Optional.empty();
      }
      List<String> parts = new ArrayList<>(after.stream().map(RuleReach::quoted).toList());
      parts.set(parts.size() - 1, "[^.]+");
      return Optional.of(String.join("\\.", parts));
    }
  },
  /** Everything behind what changes. */
  ALL_BEHIND {
    @Override
    Optional<String> rest(List<String> after) {
      return after.isEmpty() ? Optional.empty() : Optional.of(".+");
    }
  },
  /** The same names in all layers. */
  SAME_NAMES {
    @Override
    Optional<String> rest(List<String> after) {
      return Optional.of(joined(after));
    }
  };

  /** The pattern of what both names end with; empty where the reach makes no sense. */
  abstract Optional<String> rest(List<String> after);

  /**
   * The rule that makes an edit.
   *
   * @param edit of real names, or {@link NameEdit#generalised}
   * @param examples real names that it is for; at least one
   * @return empty where the edit leaves nothing to reach for, or can't be written as a rule
   */
  public Optional<Rule> rule(NameEdit edit, List<RuleExample> examples) {
    Optional<String> rest = rest(edit.after());
    if (rest.isEmpty()) {
      return Optional.empty();
    }
    List<String> from = new ArrayList<>();
    List<String> to = new ArrayList<>();
    if (!edit.before().isEmpty()) {
      from.add("(?<before>" + joined(edit.before()) + ")");
      to.add("${before}");
    }
    if (!edit.from().isEmpty()) {
      from.add(edit.from().stream().map(RuleReach::escaped).collect(Collectors.joining("\\.")));
    }
    to.addAll(edit.to());
    if (!edit.after().isEmpty()) {
      from.add("(?<after>" + rest.get() + ")");
      to.add("${after}");
    }
    try {
      return Optional.of(Rule.of(String.join("\\.", from), String.join(".", to), examples));
    } catch (InvalidRuleException e) {
      return Optional.empty(); // A name with a dollar sign or a backslash can't be a result.
    }
  }

  private static String joined(List<String> segments) {
    return segments.stream().map(RuleReach::quoted).collect(Collectors.joining("\\."));
  }

  private static String quoted(String segment) {
    return segment.equals(NameEdit.ANY_NUMBER) || NameEdit.isNumber(segment)
        ? "[0-9]+"
        : escaped(segment);
  }

  private static String escaped(String segment) {
    StringBuilder out = new StringBuilder();
    segment
        .codePoints()
        .forEach(
            c -> {
              if (c < 0x80 && c != '_' && !Character.isLetterOrDigit(c)) {
                out.append('\\');
              }
              out.appendCodePoint(c);
            });
    return out.toString();
  }
}
