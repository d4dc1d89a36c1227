package org.shardmend.cli.option;

import java.util.Optional;
import org.shardmend.audit.RunId;
import org.shardmend.job.spark.JobException;

/** Reads the run ids that users write. */
public final class RunIds {
  private RunIds() {}

  /** The run that {@code text} names; empty when it names none. */
  public static Optional<RunId> parse(String text) throws JobException {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(new RunId(text));
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-run-id", e.getMessage(), e);
    }
  }
}
