package org.shardmend.cli;

import java.util.Optional;
import org.shardmend.audit.RunId;
import org.shardmend.job.JobException;

/** Reads the run ids that users write. */
final class RunIds {
  private RunIds() {}

  /** The run that {@code text} names; empty when it names none. */
  static Optional<RunId> parse(String text) throws JobException {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(new RunId(text));
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-run-id", e.getMessage(), e);
    }
  }
}
