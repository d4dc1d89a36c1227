package org.shardmend.job.sweep;

import java.util.List;
import java.util.Set;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.Wording;
import org.shardmend.storage.Location;

/**
 * What a sweep does not look at, because a directory above it counts as a checkpoint.
 *
 * @param by the directory that counts as a checkpoint
 * @param because the names of what makes it one, never empty
 * @param hidden directories below it that look like checkpoints, never empty
 * @param complete whether these are all; there may be too many directories to look into each
 */
public record HiddenCheckpoints(
    Location by, List<String> because, List<Location> hidden, boolean complete) {

  /** The same as a warning, which stops nothing. */
  public Finding finding() {
    String message =
        "%s counts as a checkpoint because of %s, so %s%s below it that %s like %s not looked at: %s. If it is none, move %s elsewhere; else name those below it as roots, too, or leave them out with --exclude."
            .formatted(
                by,
                Wording.examples(because),
                complete ? "" : "at least ",
                Wording.count(hidden.size(), "directory", "directories"),
                hidden.size() == 1 ? "looks" : "look",
                hidden.size() == 1 ? "a checkpoint was" : "checkpoints were",
                Wording.examples(hidden.stream().map(this::relative).toList()),
                because.size() == 1 ? because.get(0) : "these files");
    return new Finding("hidden-checkpoints", Severity.WARNING, "", OneLine.of(message));
  }

  /** Of the same place, seen from two roots, what was seen with the greater depth. */
  HiddenCheckpoints larger(HiddenCheckpoints other) {
    return other.hidden.size() > hidden.size() ? other : this;
  }

  /** The same, but for what was found from another root. */
  HiddenCheckpoints without(Set<Location> found) {
    return new HiddenCheckpoints(
        by, because, hidden.stream().filter(one -> !found.contains(one)).toList(), complete);
  }

  private String relative(Location below) {
    String path = by.path().equals("/") ? "" : by.path();
    return below.path().substring(path.length() + 1);
  }
}
