package org.shardmend.rules;

/**
 * A rule file that cannot be used. The message is for people: it begins with {@code
 * origin:line:column}, names the place inside the document, says what is wrong there and what to
 * do.
 */
public final class RuleException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String origin;
  private final int line;
  private final int column;
  private final String place;

  RuleException(String origin, int line, int column, String place, String problem, String remedy) {
    super(
        String.format(
            "%s:%d:%d: %s%s %s",
            origin, line, column, place.isEmpty() ? "" : place + ": ", problem, remedy));
    this.origin = origin;
    this.line = line;
    this.column = column;
    this.place = place;
  }

  /** Where the document came from, as the caller of the reader named it: a file, a location. */
  public String origin() {
    return origin;
  }

  /** The line, counted from 1. */
  public int line() {
    return line;
  }

  /** The column within the line, in UTF-16 units, counted from 1. */
  public int column() {
    return column;
  }

  /**
   * The place inside the document, such as {@code rules[0].from}; empty for the document itself.
   */
  public String place() {
    return place;
  }
}
