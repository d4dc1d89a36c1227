package org.shardmend.storage;

import java.io.IOException;

/** A journal that is not in the state that an operation needs, or is damaged. */
public final class JournalException extends IOException {
  private static final long serialVersionUID = 1L;

  private JournalException(String message) {
    super(message);
  }

  /** Another repair in place must be ended first. */
  static JournalException inTheWay(Location journal, JournalState state) {
    return new JournalException(
        state.isOpen()
            ? "A repair in place was not finished: %s. Run 'repair --in-place' again to finish it, or 'rollback' to undo it."
                .formatted(journal)
            : "The journal of an earlier repair in place is kept: %s. Run 'repair --in-place --forget' to give up undoing that one, or 'rollback' to undo it first."
                .formatted(journal));
  }

  /** Something is missing or not as it was written. */
  static JournalException damaged(Location where, String what) {
    return new JournalException(
        "The journal is damaged: %s %s. Nothing was changed by this run. Keep the journal: the other entries can still be read from it by hand."
            .formatted(where, what));
  }

  /** What was written is not what is read. */
  static JournalException notHeld(Location shard, long offset) {
    return new JournalException(
        "%s does not hold at byte %d what was just written there. The medium is not to be trusted: check it, then run 'repair --in-place' again to finish, or 'rollback' to undo."
            .formatted(shard, offset));
  }

  /** Two entries for one file. */
  static JournalException sameFile(Location first, Location second) {
    return new JournalException(
        "%s and %s are one file, and both are to be changed. Nothing was changed. Give each its own copy, or repair into --output."
            .formatted(first, second));
  }
}
