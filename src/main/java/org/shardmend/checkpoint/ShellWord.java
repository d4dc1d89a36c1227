package org.shardmend.checkpoint;

import java.util.regex.Pattern;

/** Words of commands that are shown to be copied into a shell. */
public final class ShellWord {
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_@%+=:,./-]+");

  private ShellWord() {}

  /** The word as a POSIX shell takes it back; what no terminal shows is an escape even so. */
  public static String of(String word) {
    String shown = OneLine.of(word);
    return PLAIN.matcher(shown).matches() ? shown : "'" + shown.replace("'", "'\\''") + "'";
  }
}
