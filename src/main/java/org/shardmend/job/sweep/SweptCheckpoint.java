package org.shardmend.job.sweep;

import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.Location;

/**
 * What a sweep did with one checkpoint.
 *
 * @param checkpoint its directory
 * @param outcome how it ended
 * @param runId the run's in the audit, of what was refused before the one that refused it; empty
 *     when it has none
 * @param output where its repaired form is; empty when there is none
 * @param counts tensors by what became of them, as far as there was a plan
 * @param shards how many shards it has, as far as there was a plan
 * @param bytesRead bytes read, by the plan, too
 * @param bytesWritten bytes written
 * @param seconds how long it took
 * @param code what kind of refusal or failure it is, in kebab case; empty when it is neither
 * @param message why it was refused, failed or left alone, or what failed after its repair was
 *     visible; empty when there is nothing of that
 */
public record SweptCheckpoint(
    Location checkpoint,
    Outcome outcome,
    String runId,
    String output,
    ActionCounts counts,
    int shards,
    long bytesRead,
    long bytesWritten,
    double seconds,
    String code,
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
    /** Weight files, but none of a layout that is known. */
    UNKNOWN_LAYOUT("unknown-layout"),
    /** Removed by somebody while the sweep ran. */
    GONE("gone"),
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

  /** One of which no more is known than what kept it from being looked at. */
  static SweptCheckpoint without(Location checkpoint, Outcome outcome, String message) {
    return new SweptCheckpoint(
        checkpoint, outcome, "", "", ActionCounts.NONE, 0, 0, 0, 0, "", message);
  }

  /** The same, with what a look before has read. */
  SweptCheckpoint alsoRead(long bytes) {
    return new SweptCheckpoint(
        checkpoint,
        outcome,
        runId,
        output,
        counts,
        shards,
        bytesRead + bytes,
        bytesWritten,
        seconds,
        code,
        message);
  }

  /** The same, and how long it took. */
  SweptCheckpoint took(double duration) {
    return new SweptCheckpoint(
        checkpoint,
        outcome,
        runId,
        output,
        counts,
        shards,
        bytesRead,
        bytesWritten,
        duration,
        code,
        message);
  }
}
