package org.shardmend.cli.option;

import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.files.Locations;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Which checkpoint a command is about, and how it is read. */
public final class CheckpointOptions {
  @Parameters(
      paramLabel = "CHECKPOINT",
      description = "The checkpoint's directory, on any file system that Hadoop knows.")
  String checkpoint;

  @Mixin ReadingOptions reading;

  /** The checkpoint, and what else a next command about it must be given; for a shell. */
  public String words() {
    return ShellWord.of(checkpoint) + reading.words();
  }

  /** How the checkpoint is read and judged, as words for a shell. */
  public String readingWords() {
    return reading.words();
  }

  public PlanRequest request() throws JobException {
    return reading.at(Locations.parse(checkpoint, DriverHadoop.configuration()));
  }
}
