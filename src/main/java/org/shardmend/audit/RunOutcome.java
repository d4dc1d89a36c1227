package org.shardmend.audit;

/** How a run ended. */
public enum RunOutcome {
  /** The work is done. */
  DONE("done"),
  /** Nothing needed doing. */
  NOTHING_TO_DO("nothing-to-do"),
  /** Looked only, and found work or a fault. */
  FOUND("found"),
  /** The checkpoint can't be repaired safely; nothing was changed. */
  REFUSED("refused"),
  /** Reading, writing, locking or running failed; nothing was published. */
  FAILED("failed"),
  /** A repair in place was undone; in audits only. */
  ROLLED_BACK("rolled-back");

  private final String token;

  RunOutcome(String token) {
    this.token = token;
  }

  /** The word in tables and documents. */
  public String token() {
    return token;
  }
}
