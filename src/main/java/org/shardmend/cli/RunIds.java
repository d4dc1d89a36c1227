package org.shardmend.cli;

import org.shardmend.audit.RunId;
import org.shardmend.job.JobException;

/** Reads the run ids that users write. */
final class RunIds {
  private RunIds() {}

  static RunId parse(String text) throws JobException {
    try {
      return new RunId(text);
    } catch (IllegalArgumentException e) {
      throw JobException.usage("bad-run-id", e.getMessage(), e);
    }
  }
}
