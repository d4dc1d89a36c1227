package org.shardmend.storage.journal;

/**
 * What finishing or undoing a repair in place came to.
 *
 * @param outcome what became of the journal
 * @param files how many files were written, exchanged, added or removed
 * @param bytesRead of the checkpoint's files
 * @param bytesWritten into the checkpoint's files
 */
public record JournalResult(Outcome outcome, int files, long bytesRead, long bytesWritten) {

  /** What became of the journal. */
  public enum Outcome {
    /** There was none. */
    NOTHING,
    /** It was only prepared, and is removed; the checkpoint was never changed. */
    DISCARDED,
    /** The checkpoint is wholly new; the journal is kept. */
    APPLIED,
    /** The checkpoint is wholly old; the journal is removed. */
    ROLLED_BACK
  }

  /** That of a checkpoint without a journal. */
  public static JournalResult nothing() {
    return of(Outcome.NOTHING);
  }

  /** A result without any work. */
  static JournalResult of(Outcome outcome) {
    return new JournalResult(outcome, 0, 0, 0);
  }
}
