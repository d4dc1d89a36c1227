package org.shardmend.cli;

import picocli.CommandLine.Option;

/** How a command answers; the same for all of them. */
final class OutputOptions {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(
      names = "--json",
      description = "Print one JSON document on standard output, and nothing else there.")
  boolean json;

  @Option(
      names = "--result",
      paramLabel = "FILE",
      description =
          "Write the JSON document, with the exit code, to this file on any file system: in cluster"
              + " mode there is no standard output to see.")
  String result = "";

  @Option(
      names = {"-q", "--quiet"},
      description = "No progress and no messages but errors.")
  boolean quiet;

  @Option(
      names = {"-v", "--verbose"},
      description = "Stack traces, and Spark's own log.")
  boolean verbose;
}
