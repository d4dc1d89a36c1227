package org.shardmend.cli.text;

import org.shardmend.job.spark.JobException;

/** The process's exit codes: a contract with scripts and schedulers. */
public enum ExitCode {
  /** Done, or nothing to do. */
  DONE(0),
  /** The command line is wrong. */
  USAGE(2),
  /** {@code plan} found work, {@code verify} found a fault. */
  FOUND(3),
  /** The checkpoint can't be repaired safely; nothing was changed. */
  REFUSED(4),
  /** Reading, writing, locking or running failed; running again resumes. */
  FAILED(5);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  public static ExitCode of(JobException.Kind kind) {
    return switch (kind) {
      case USAGE -> USAGE;
      case REFUSED -> REFUSED;
      case FAILED -> FAILED;
    };
  }
}
