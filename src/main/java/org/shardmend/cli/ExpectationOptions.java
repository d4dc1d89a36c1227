package org.shardmend.cli;

import org.shardmend.checkpoint.ShellWord;
import org.shardmend.job.DriverHadoop;
import org.shardmend.job.Expectation;
import org.shardmend.job.ExpectedStates;
import org.shardmend.job.JobException;
import org.shardmend.job.Locations;
import picocli.CommandLine.Option;

/** What loaders expect; the same for all commands that go by it. */
final class ExpectationOptions {
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

  boolean given() {
    return !expectedState.isEmpty() || !like.isEmpty();
  }

  /** The option as it was given, for a next command in a shell; empty without one. */
  String words() {
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
  Expectation expectation() throws JobException {
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
