package org.shardmend.checkpoint.layout;

import java.util.Optional;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;

/** Weight files that another file of the checkpoint names. */
final class NamedShards {
  private NamedShards() {}

  /**
   * What is wrong with such a file before it is opened.
   *
   * @param entry what the listing has under that name
   * @param namedBy the file that names it
   * @param cure what to do when it is missing, as a sentence
   */
  static Optional<Finding> problem(
      String name, Optional<FileEntry> entry, String namedBy, String cure) {
    if (entry.isEmpty()) {
      return Optional.of(
          FindingCode.MISSING_SHARD.finding(
              name, "%s is missing, though %s names it. %s".formatted(name, namedBy, cure)));
    }
    return notRegular(name, entry, "Put the shard itself in its place.");
  }

  /** The problem with a file that is there and is none that could be opened. */
  static Optional<Finding> notRegular(String name, Optional<FileEntry> entry, String cure) {
    return entry
        .filter(found -> !found.isReadable())
        .map(
            found ->
                FindingCode.NOT_A_REGULAR_FILE.finding(
                    name, "%s is no regular file, and was not opened. %s".formatted(name, cure)));
  }
}
