package org.shardmend.storage.protocol;

import java.io.IOException;
import org.shardmend.storage.Location;

/**
 * A journal, or a directory of our name, that this run does not believe. Nothing was changed, and
 * nothing that it names was opened.
 */
public final class JournalRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why it is not believed. */
  public enum Reason {
    /** Somebody else wrote it. */
    FOREIGN,
    /** No run of this program can have written it. */
    MALFORMED,
    /** A link, or another thing that leads elsewhere, is where a file or directory of ours is. */
    LINK
  }

  private final Reason reason;

  private JournalRefusedException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Somebody else wrote it; {@code --adopt-journal} is the answer, where it is known. */
  public static JournalRefusedException foreign(String message) {
    return new JournalRefusedException(Reason.FOREIGN, message);
  }

  /** No run of this program can have written it. */
  public static JournalRefusedException malformed(Location where, String what) {
    return new JournalRefusedException(
        Reason.MALFORMED,
        "%s %s, which no repair in place writes. Nothing was changed. If no repair of yours was stopped here, it came with the checkpoint: remove its directory, and the checkpoint is as it came."
            .formatted(where, what));
  }

  /** A file that READY can't name. */
  public static JournalRefusedException unnameable(Location checkpoint, String name) {
    return new JournalRefusedException(
        Reason.MALFORMED,
        "%s can't be repaired in place: '%s' lies in our own directory .shardmend, or has control characters in its name. Nothing was changed. Move or rename it, or repair into --output."
            .formatted(checkpoint, name.replaceAll("\\p{Cntrl}", "?")));
  }

  /** Something below {@code .shardmend} is no plain file or directory. */
  static JournalRefusedException link(Location where) {
    return new JournalRefusedException(
        Reason.LINK,
        "%s is neither a file nor a directory, but Shardmend makes nothing else there: it may lead anywhere, and was not followed. Remove it."
            .formatted(where));
  }

  /** Why it is not believed. */
  public Reason reason() {
    return reason;
  }
}
