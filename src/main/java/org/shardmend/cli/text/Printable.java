package org.shardmend.cli.text;

import org.shardmend.safetensors.DisplayName;

/**
 * Names as they may be shown on a terminal. A tensor's name is any string: what would move the
 * cursor, break the line or turn the reading direction is shown as an escape, and an endless one is
 * shortened. Documents in JSON hold names as they are.
 */
public final class Printable {
  private static final int LONGEST = 400;

  private Printable() {}

  public static String of(String text) {
    StringBuilder out = new StringBuilder();
    int[] points = text.codePoints().limit(LONGEST + 1L).toArray();
    for (int i = 0; i < Math.min(points.length, LONGEST); i++) {
      append(out, points[i]);
    }
    if (points.length > LONGEST) {
      out.append("… (%,d characters)".formatted(text.length()));
    }
    return out.toString();
  }

  /** A message of several lines, each made printable. */
  public static String lines(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (c == '\n') {
                out.append('\n');
              } else {
                append(out, c);
              }
            });
    return out.toString();
  }

  private static void append(StringBuilder out, int c) {
    if (DisplayName.isVisible(c)) {
      out.appendCodePoint(c);
    } else {
      out.append("\\u{%x}".formatted(c));
    }
  }
}
