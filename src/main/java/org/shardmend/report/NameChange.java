package org.shardmend.report;

/**
 * What differs between two names, for a reader's eye: {@code before} + {@code removed} + {@code
 * after} is the old name, {@code before} + {@code added} + {@code after} the new one. Cut between
 * the dot-separated parts of names, never inside.
 *
 * @param before what both begin with
 * @param removed what only the old name has
 * @param added what only the new name has
 * @param after what both end with
 */
record NameChange(String before, String removed, String added, String after) {

  /** What became of {@code from}; a name without successor is removed as a whole. */
  static NameChange of(String from, String to) {
    if (to.isEmpty()) {
      return new NameChange("", from, "", "");
    }
    int prefix = commonPrefix(from, to);
    int suffix = commonSuffix(from.substring(prefix), to.substring(prefix));
    return new NameChange(
        from.substring(0, prefix),
        from.substring(prefix, from.length() - suffix),
        to.substring(prefix, to.length() - suffix),
        from.substring(from.length() - suffix));
  }

  /** The longest common beginning that ends behind a dot. */
  private static int commonPrefix(String left, String right) {
    int prefix = 0;
    int shorter = Math.min(left.length(), right.length());
    for (int i = 0; i < shorter && left.charAt(i) == right.charAt(i); i++) {
      if (left.charAt(i) == '.') {
        prefix = i + 1;
      }
    }
    return prefix;
  }

  /** The longest common end that is a whole remainder, or begins behind a dot. */
  private static int commonSuffix(String left, String right) {
    int suffix = 0;
    int shorter = Math.min(left.length(), right.length());
    for (int length = 1; length <= shorter; length++) {
      char l = left.charAt(left.length() - length);
      if (l != right.charAt(right.length() - length)) {
        return suffix;
      }
      if (startsPart(left, length) && startsPart(right, length)) {
        suffix = length;
      }
    }
    return suffix;
  }

  private static boolean startsPart(String text, int length) {
    return length == text.length() || text.charAt(text.length() - length - 1) == '.';
  }
}
