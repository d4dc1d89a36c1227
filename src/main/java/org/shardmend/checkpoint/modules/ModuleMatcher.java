package org.shardmend.checkpoint.modules;

import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.shardmend.rules.BoundedPattern;
import org.shardmend.rules.RuleLimitException;

/** Says which modules an entry of a quantization config speaks of, as engines find them out. */
final class ModuleMatcher {
  private final Predicate<String> matches;

  private ModuleMatcher(Predicate<String> matches) {
    this.matches = matches;
  }

  /**
   * The matcher of an entry.
   *
   * @throws IllegalArgumentException if its pattern can't be tried; the message says why
   */
  static ModuleMatcher of(ModuleEntry entry) {
    String pattern = entry.pattern();
    return switch (entry.syntax()) {
      case NAME -> new ModuleMatcher(pattern::equals);
      case PART -> new ModuleMatcher(module -> module.contains(pattern));
      case EXPRESSION, DYNAMIC -> new ModuleMatcher(BoundedPattern.of(pattern)::matchesStart);
      case GLOB -> new ModuleMatcher(BoundedPattern.of(expression(pattern))::matchesStart);
    };
  }

  private static String expression(String glob) {
    StringBuilder expression = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      expression.append(
          switch (c) {
            case '*' -> ".*";
            case '?' -> ".";
            default -> Pattern.quote(String.valueOf(c));
          });
    }
    return expression.append("\\z").toString();
  }

  /**
   * Whether the entry speaks of that module.
   *
   * @throws RuleLimitException if the answer takes too long
   */
  boolean matches(String module) {
    return matches.test(module);
  }
}
