package org.shardmend.cli;

import java.util.regex.Pattern;

/** Words of commands that are shown to be copied into a shell. */
final class ShellWord {
  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_@%+=:,./-]+");

  private ShellWord() {}

  /** The word as a POSIX shell takes it back; what no terminal shows is an escape even so. */
  static String of(String word) {
    String shown = Printable.of(word);
    return PLAIN.matcher(shown).matches() ? shown : "'" + shown.replace("'", "'\\''") + "'";
  }
}
