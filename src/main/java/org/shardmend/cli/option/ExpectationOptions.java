package org.shardmend.cli.option;

import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.files.ExpectedStates;
import org.shardmend.job.files.Locations;
import org.shardmend.job.plan.Expectation;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import picocli.CommandLine.Option;

/** What loaders expect; the same for all commands that go by it. */
public final class ExpectationOptions {
  @Option(
      names = "--expected-state",
      paramLabel = "FILE",
      description =
          "The names, types and shapes that the loaders expect: a file, or a directory with a file"
              + " for each rank.")
  private String expectedState = "";

  @Option(
      names = "--like",
      paramLabel = "CHECKPOINT",
      description = "Take the expected state from this healthy checkpoint of the same shape.")
  private String like = "";

  public boolean given() {
    return !expectedState.isEmpty() || !like.isEmpty();
  }

  /** The option as it was given, for a next command in a shell; empty without one. */
  public String words() {
    if (!expectedState.isEmpty()) {
      return " --expected-state " + ShellWord.of(expectedState);
    }
    return like.isEmpty() ? "" : " --like " + ShellWord.of(like);
  }

  /**
   * The expectation.
   *
   * @throws JobException USAGE when both options are given, or there is no expected state
   */
  public Expectation expectation() throws JobException {
    if (!expectedState.isEmpty() && !like.isEmpty()) {
      throw JobException.usage(
          "two-expected-states",
          "--expected-state and --like both say what is expected; give one of them");
    }
    if (!expectedState.isEmpty()) {
      return Expectation.of(ExpectedStates.read(expectedState));
    }
    return like.isEmpty()
        ? Expectation.none()
        : Expectation.like(Locations.parse(like, DriverHadoop.configuration()));
  }
}
