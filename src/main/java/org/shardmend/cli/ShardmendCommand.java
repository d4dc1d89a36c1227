package org.shardmend.cli;

import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;

/** A command that computes what it answers itself. */
abstract class ShardmendCommand extends AnsweringCommand {

  /** Does the work. */
  abstract CommandResult run(Progress progress) throws JobException;

  @Override
  public final Integer call() {
    return answer(() -> run(progress()));
  }
}
