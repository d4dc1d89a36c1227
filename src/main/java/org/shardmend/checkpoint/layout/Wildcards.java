package org.shardmend.checkpoint.layout;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;

/**
 * Characters in a checkpoint's path that engines take for wildcards: they look for shards with
 * Python's {@code glob} over the whole path, directory and all.
 */
final class Wildcards {
  private static final Pattern WILDCARD = Pattern.compile("[*?\\[\\]]");
  private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*://?[^/]*");
  private static final String LOCAL = "file:";

  private Wildcards() {}

  /**
   * What there is to say of a path in which an engine looks for shards. A dump's files are opened
   * by the names in checksum.json.
   *
   * @param location the checkpoint's, as people see it: a path, or with a scheme before it
   */
  static Optional<Finding> finding(String location) {
    Matcher wildcard = WILDCARD.matcher(part(location.replaceAll("/+$", "")));
    if (!wildcard.find()) {
      return Optional.empty();
    }
    return Optional.of(
        FindingCode.WILDCARD_IN_PATH.finding(
            "",
            "the path "
                + location
                + " holds '"
                + wildcard.group()
                + "', which engines take for a wildcard: they look for shards with a glob over the"
                + " whole path, and find none, or those of another directory. Give the directory a"
                + " name without '[', ']', '*' and '?'."));
  }

  /** What an engine is given: the whole path, or of another store the name that staging keeps. */
  private static String part(String location) {
    return location.startsWith(LOCAL) || !SCHEME.matcher(location).lookingAt()
        ? location
        : location.substring(location.lastIndexOf('/') + 1);
  }
}
