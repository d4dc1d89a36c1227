package org.shardmend.safetensors;

/**
 * Names as messages show them. A tensor's name may hold anything that JSON can escape: line breaks,
 * terminal escapes, marks that reverse the direction of writing, a hundred thousand characters.
 * What is printed must neither break the line nor hide what it is.
 */
public final class DisplayName {
  /** Longer names are cut to this many characters. */
  public static final int MAX_CHARACTERS = 200;

  private DisplayName() {}

  /**
   * The name in single quotes, on one line: what is not visible is escaped as JSON does it, and a
   * name of over {@value #MAX_CHARACTERS} characters is cut, with its length said.
   */
  public static String of(String name) {
    if (name.length() <= MAX_CHARACTERS) {
      return "'" + escape(name) + "'";
    }
    String head = name.substring(0, cut(name));
    return "'" + escape(head) + "…' (" + name.length() + " characters)";
  }

  /** Where to cut, so that no surrogate pair is torn. */
  private static int cut(String name) {
    return Character.isHighSurrogate(name.charAt(MAX_CHARACTERS - 1))
        ? MAX_CHARACTERS - 1
        : MAX_CHARACTERS;
  }

  /** The text on one line: what is not visible is escaped as JSON does it. */
  public static String escape(String text) {
    StringBuilder shown = new StringBuilder();
    text.codePoints().forEach(point -> append(shown, point));
    return shown.toString();
  }

  private static void append(StringBuilder shown, int point) {
    if (point == '\\') {
      shown.append("\\\\");
    } else if (isVisible(point)) {
      shown.appendCodePoint(point);
    } else {
      for (char unit : Character.toChars(point)) {
        shown.append(String.format("\\u%04x", (int) unit));
      }
    }
  }

  /** Whether a code point shows as itself: a space or what has a shape of its own. */
  public static boolean isVisible(int point) {
    if (point == ' ') {
      return true;
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SPACE_SEPARATOR ->
          false;
      default -> true;
    };
  }
}
