package org.shardmend.cli;

import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.DriverHadoop;
import org.shardmend.job.JobException;
import org.shardmend.job.Locations;
import org.shardmend.job.PlanRequest;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Which checkpoint a command is about, and how it is read. */
final class CheckpointOptions {
  @Parameters(
      paramLabel = "CHECKPOINT",
      description = "The checkpoint's directory, on any file system that Hadoop knows.")
  String checkpoint;

  @Mixin ReadingOptions reading;

  /** The checkpoint, and what else a next command about it must be given; for a shell. */
  String words() {
    return ShellWord.of(checkpoint) + reading.words();
  }

  PlanRequest request() throws JobException {
    return reading.at(Locations.parse(checkpoint, DriverHadoop.configuration()));
  }
}
