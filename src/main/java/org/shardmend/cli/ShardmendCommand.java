package org.shardmend.cli;

import org.shardmend.job.JobException;
import org.shardmend.job.Progress;

/** A command that computes what it answers itself. */
abstract class ShardmendCommand extends AnsweringCommand {

  /** Does the work. */
  abstract CommandResult run(Progress progress) throws JobException;

  @Override
  public final Integer call() {
    return answer(() -> run(progress()));
  }
}
