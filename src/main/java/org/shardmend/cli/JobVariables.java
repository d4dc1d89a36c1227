package org.shardmend.cli;

import java.time.LocalDate;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is filled into a job file's texts: variables of the environment by their names in braces
 * behind a dollar sign, and the date. A second dollar sign before it stands for the braces as such.
 *
 * @param environment by the variables' names
 * @param date the day of the run
 */
record JobVariables(Map<String, String> environment, LocalDate date) {
  private static final String DATE = "date";
  private static final Pattern REFERENCE =
      Pattern.compile("\\$(?<escaped>\\$\\{)|\\$\\{(?<name>[^}]*)(?<end>}?)");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** Copies the map, so that the value can't change. */
  JobVariables {
    environment = Map.copyOf(environment);
  }

  /**
   * The text with everything filled in; what was filled in is not looked at again.
   *
   * @throws IllegalArgumentException when something can't be; the message names it
   */
  String fill(String text) {
    return REFERENCE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(value(found)));
  }

  private String value(MatchResult reference) {
    if (reference.group(1) != null) {
      return "${";
    }
    String name = reference.group(2);
    if (reference.group(3).isEmpty()) {
      throw new IllegalArgumentException(
          "'%s' has no closing brace; where no variable is meant, write $${"
              .formatted(reference.group()));
    }
    if (name.equals(DATE)) {
      return date.toString();
    }
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'%s' is no variable; there are ${date} and ${NAME} of the environment, and $${ where none is meant"
              .formatted(reference.group()));
    }
    String value = environment.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "the environment variable %s is not set, or empty".formatted(name));
    }
    return value;
  }
}
