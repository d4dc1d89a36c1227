package org.shardmend.storage.journal;

/** How far a repair in place has come, as its journal says; see {@code journal.md}. */
public enum JournalState {
  /** There is no journal. */
  NONE(false),
  /** A run ended before READY. Nothing was changed, and the journal is only a leftover. */
  PREPARING(false),
  /** READY, and any part of the checkpoint may be new already. */
  APPLYING(true),
  /** All is new; the journal is kept for a rollback. */
  APPLIED(false),
  /** A rollback was begun, and any part of the checkpoint may be old again. */
  ROLLING_BACK(true);

  private final boolean open;

  JournalState(boolean open) {
    this.open = open;
  }

  /** Whether files may have been changed, so that there is something to undo. */
  public boolean isReady() {
    return this != NONE && this != PREPARING;
  }

  /**
   * Whether the checkpoint is between old and new, so that nothing but finishing or undoing may
   * touch it.
   */
  public boolean isOpen() {
    return open;
  }
}
