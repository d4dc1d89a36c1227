package org.shardmend.storage.protocol;

import java.nio.charset.StandardCharsets;
import org.shardmend.storage.bytes.Sha256;

/** Hidden names beside a target: {@code .NAME} and a suffix, within what a file system allows. */
public final class SiblingName {
  private static final int MAX_NAME_BYTES = 255;
  private static final int CUT_NAME_CHARS = 40;
  private static final int CUT_DIGEST_CHARS = 16;

  private SiblingName() {}

  /**
   * The path beside {@code target} whose name ends in {@code suffix}.
   *
   * @param target an absolute path, not the root
   */
  public static String of(String target, String suffix) {
    int slash = target.lastIndexOf('/');
    String name = target.substring(slash + 1);
    if (name.isEmpty()) {
      throw new IllegalArgumentException("'%s' has no directory beside it.".formatted(target));
    }
    String whole = "." + name + suffix;
    if (whole.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
      whole = "." + cut(name) + suffix;
    }
    return target.substring(0, slash + 1) + whole;
  }

  /** The start of a long name, at most three bytes a UTF-16 unit, and what tells it from others. */
  private static String cut(String name) {
    String start =
        name.substring(
            0,
            Character.isHighSurrogate(name.charAt(CUT_NAME_CHARS - 1))
                ? CUT_NAME_CHARS - 1
                : CUT_NAME_CHARS);
    return start
        + "~"
        + Sha256.hex(name.getBytes(StandardCharsets.UTF_8)).substring(0, CUT_DIGEST_CHARS);
  }
}
