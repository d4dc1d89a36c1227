package org.shardmend.job;

import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.Location;

/**
 * What a sweep did with one checkpoint.
 *
 * @param checkpoint its directory
 * @param outcome how it ended
 * @param counts tensors by what became of them, as far as there was a plan
 * @param bytesWritten bytes written
 * @param seconds how long it took
 * @param message why it was refused, failed or left alone; empty when it was not
 */
public record SweptCheckpoint(
    Location checkpoint,
    Outcome outcome,
    ActionCounts counts,
    long bytesWritten,
    double seconds,
    String message) {

  /** How a checkpoint ends up. */
  public enum Outcome {
    /** Repaired. */
    DONE("done"),
    /** Right already, or repaired before. */
    NOTHING_TO_DO("nothing-to-do"),
    /** A dry run found that it needs repair. */
    FOUND("found"),
    /** Written to so lately that it may not be finished. */
    UNSETTLED("unsettled"),
    /** Can't be repaired safely. */
    REFUSED("refused"),
    /** Refused before, and nothing has changed since. */
    REFUSED_BEFORE("refused-before"),
    /** Reading, writing, locking or running failed. */
    FAILED("failed");

    private final String id;

    Outcome(String id) {
      this.id = id;
    }

    /** The identifier in documents. */
    public String id() {
      return id;
    }
  }
}
