package org.shardmend.checkpoint.json;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Git LFS pointer: the few lines that lie in a file's place where Git fetched no content. Its
 * form is that of the specification's version 1: lines of a key and a value, {@code version} first.
 *
 * @param bytes length of the file that was never fetched; 0 where the pointer does not say
 */
public record LfsPointer(long bytes) {
  private static final String START = "version https://git-lfs.github.com/spec/v1\n";

  /** The specification allows no longer ones. */
  private static final int LONGEST = 1024;

  private static final Pattern SIZE = Pattern.compile("\nsize ([0-9]{1,18})(?:\n|$)");

  /** The pointer that a file holds, by its first bytes. */
  public static Optional<LfsPointer> of(byte[] file) {
    String text =
        new String(file, 0, Math.min(file.length, LONGEST), StandardCharsets.ISO_8859_1)
            .replace("\r\n", "\n");
    if (!text.startsWith(START)) {
      return Optional.empty();
    }
    Matcher size = SIZE.matcher(text);
    return Optional.of(new LfsPointer(size.find() ? Long.parseLong(size.group(1)) : 0));
  }

  /** What the file is and what to do, to follow its name. */
  public String told() {
    return " is a Git LFS pointer"
        + (bytes > 0 ? " (" + bytes + " bytes were never fetched)" : "")
        + ": fetch the file itself with 'git lfs pull'.";
  }
}
