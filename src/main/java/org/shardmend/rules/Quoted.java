package org.shardmend.rules;

import org.shardmend.safetensors.DisplayName;

/** Text from files, made safe for a message: no control characters, and not endless. */
final class Quoted {
  private static final int MOST = 200;

  private Quoted() {}

  /** In single quotes, as {@link #brief} shows it. */
  static String name(String text) {
    return "'" + brief(text) + "'";
  }

  /**
   * Control, format and other characters that a terminal would act on become {@code \\uXXXX};
   * beyond 200 characters the middle is left out and counted.
   */
  static String brief(String text) {
    if (text.length() <= MOST) {
      return printable(text);
    }
    int half = MOST / 2;
    return printable(text.substring(0, half))
        + String.format("[... %,d characters ...]", text.length() - 2 * half)
        + printable(text.substring(text.length() - half));
  }

  private static String printable(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              if (DisplayName.isVisible(point)) {
                shown.appendCodePoint(point);
              } else {
                shown.append(String.format("\\u%04X", point));
              }
            });
    return shown.toString();
  }
}
