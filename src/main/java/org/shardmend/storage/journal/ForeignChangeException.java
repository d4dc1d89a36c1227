package org.shardmend.storage.journal;

import java.io.IOException;
import java.util.List;
import org.shardmend.storage.Location;

/**
 * Files were changed by something else, so that a repair in place can be neither finished nor
 * undone. Nothing was written.
 */
public final class ForeignChangeException extends IOException {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 5;

  private final List<ForeignChange> changes;

  /**
   * @param checkpoint where the files are
   * @param changes all of them; not empty
   */
  ForeignChangeException(Location checkpoint, List<ForeignChange> changes) {
    super(message(checkpoint, changes));
    this.changes = List.copyOf(changes);
  }

  private static String message(Location checkpoint, List<ForeignChange> changes) {
    StringBuilder text = new StringBuilder();
    for (ForeignChange change : changes.subList(0, Math.min(SHOWN, changes.size()))) {
      text.append("%s/%s %s. ".formatted(checkpoint, change.file(), change.what()));
    }
    if (changes.size() > SHOWN) {
      text.append("So do %d more files. ".formatted(changes.size() - SHOWN));
    }
    return text.append("Something else changed this since the repair in place was prepared. ")
        .append("Nothing was written. Bring back what was there, then run again; ")
        .append(
            "what each file was and would be is in %s/.shardmend/journal.".formatted(checkpoint))
        .toString();
  }

  /** The files, by the order of the journal. */
  public List<ForeignChange> changes() {
    return changes;
  }
}
