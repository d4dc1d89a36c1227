package org.shardmend.storage.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.StoreTraits;

/** What a repair in place refuses before it begins; sentences G1 to G6 of {@code journal.md}. */
public final class InPlaceGuards {
  private static final int WRITE_BITS = 0222;

  private InPlaceGuards() {}

  /**
   * Whether a store can be written in place at all (G5); to be asked before any file is looked at.
   */
  public static Optional<Finding> ofStore(StoreTraits traits, Location checkpoint) {
    if (traits.overwritesInPlace()) {
      return Optional.empty();
    }
    return Optional.of(
        error(
            "in-place-unsupported",
            "",
            "%s cannot be repaired in place: a %s: store never overwrites bytes of a file. Use repair --output with another directory there, and remove this one afterwards."
                .formatted(checkpoint, checkpoint.scheme())));
  }

  /**
   * What stands against changing these files.
   *
   * @param files those that the plan changes, no others
   * @param allowHardLinks the user says that other names of these files are to change with them
   * @return errors only; empty when all may be changed
   */
  public static List<Finding> ofFiles(List<InPlaceCandidate> files, boolean allowHardLinks) {
    List<Finding> findings = new ArrayList<>();
    Map<String, String> names = new HashMap<>();
    for (InPlaceCandidate file : files) {
      ofFile(file, allowHardLinks).ifPresent(findings::add);
      String other = names.putIfAbsent(file.target().fileKey(), file.name());
      if (other != null) {
        findings.add(
            error(
                "same-file",
                file.name(),
                "%s and %s are one file, and both would be changed. Give each its own copy, or use repair --output."
                    .formatted(other, file.name())));
      }
    }
    return findings;
  }

  private static Optional<Finding> ofFile(InPlaceCandidate file, boolean allowHardLinks) {
    FileStatus target = file.target();
    if (file.leadsOutside()) {
      return Optional.of(
          error(
              "link-outside",
              file.name(),
              "%s is a symbolic link out of the checkpoint, to %s, which others may use. Repair the directory that it leads to, or use repair --output."
                  .formatted(file.name(), target.path())));
    }
    if (!target.isFile()) {
      return Optional.of(
          error("not-a-file", file.name(), "%s is not a regular file.".formatted(file.name())));
    }
    if (target.links() > 1 && !allowHardLinks) {
      return Optional.of(
          error(
              "hard-links",
              file.name(),
              "%s has %d hard links, and what is written through one name changes the others. If that is meant, add --allow-hard-links; else use repair --output."
                  .formatted(file.name(), target.links())));
    }
    if (target.permissions().isPresent() && (target.permissions().getAsInt() & WRITE_BITS) == 0) {
      return Optional.of(
          error(
              "read-only",
              file.name(),
              "%s is read-only (mode %04o). If it is meant to change, make it writable (chmod u+w); else use repair --output."
                  .formatted(file.name(), target.permissions().getAsInt())));
    }
    if (!file.writeFailure().isEmpty()) {
      return Optional.of(
          error(
              "not-writable",
              file.name(),
              "%s cannot be opened for writing: %s Run as a user who may write there, or use repair --output."
                  .formatted(file.name(), file.writeFailure())));
    }
    if (!file.replaceFailure().isEmpty()) {
      return Optional.of(
          error(
              "not-replaceable",
              file.name(),
              "%s must be built anew, and the new file can't take its place with the same rights: %s Run as a user who may do that, or use repair --output."
                  .formatted(file.name(), file.replaceFailure())));
    }
    return Optional.empty();
  }

  private static Finding error(String code, String file, String message) {
    return new Finding(code, Severity.ERROR, file, message);
  }
}
