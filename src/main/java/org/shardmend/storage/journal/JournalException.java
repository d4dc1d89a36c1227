package org.shardmend.storage.journal;

import java.io.IOException;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.storage.Location;

/** A journal that is not in the state that an operation needs, or is damaged. */
public final class JournalException extends IOException {
  private static final long serialVersionUID = 1L;

  private JournalException(String message) {
    super(message);
  }

  /** Another repair in place must be ended first. */
  static JournalException inTheWay(Location checkpoint, JournalState state) {
    String word = ShellWord.of(checkpoint.toString());
    return new JournalException(
        state.isOpen()
            ? "A repair in place of %s was not finished. To finish it: shardmend repair %s --in-place; to undo it: shardmend rollback %s"
                .formatted(checkpoint, word, word)
            : "The journal of an earlier repair in place of %s is kept. To undo that one first: shardmend rollback %s; to give up undoing it: shardmend repair %s --in-place --forget --no-default-rules"
                .formatted(checkpoint, word, word));
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
