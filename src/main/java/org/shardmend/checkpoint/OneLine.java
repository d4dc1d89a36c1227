package org.shardmend.checkpoint;

import org.shardmend.safetensors.DisplayName;

/**
 * Messages as they may be printed: a file's name can hold line breaks and terminal escapes, too.
 */
public final class OneLine {
  private OneLine() {}

  /** The message with everything escaped that is not visible; what is escaped already stays. */
  public static String of(String message) {
    StringBuilder line = new StringBuilder(message.length());
    message
        .codePoints()
        .forEach(
            point ->
                line.append(point == '\\' ? "\\" : DisplayName.escape(Character.toString(point))));
    return line.toString();
  }
}
