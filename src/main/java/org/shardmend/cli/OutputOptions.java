package org.shardmend.cli;

import java.util.ArrayList;
import java.util.List;
import org.shardmend.cli.text.Log;
import picocli.CommandLine.Option;

/** How a command answers; the same for all of them. */
final class OutputOptions {
  static final String JSON = "--json";
  static final String RESULT = "--result";
  static final String METRICS_FILE = "--metrics-file";
  static final String LOG_FORMAT = "--log-format";
  private static final String QUIET = "--quiet";
  private static final String VERBOSE = "--verbose";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Option(
      names = JSON,
      description = "Print one JSON document on standard output, and nothing else there.")
  boolean json;

  @Option(
      names = RESULT,
      paramLabel = "FILE",
      description =
          "Write the JSON document, with the exit code, to this file on any file system: in cluster"
              + " mode there is no standard output to see.")
  String result = "";

  @Option(
      names = METRICS_FILE,
      paramLabel = "FILE",
      description =
          "Write what the run did to this file, in Prometheus's text format, for a textfile"
              + " collector.")
  String metricsFile = "";

  @Option(
      names = LOG_FORMAT,
      paramLabel = "FORMAT",
      description =
          "plain (default), or json: progress, messages and log as one JSON object a line.")
  Log.Format logFormat = Log.Format.PLAIN;

  @Option(
      names = {"-q", QUIET},
      description = "No progress and no messages but errors.")
  boolean quiet;

  @Option(
      names = {"-v", VERBOSE},
      description = "Stack traces, and Spark's own log.")
  boolean verbose;

  /** What was said, as words of a command line. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    flag(words, JSON, json);
    value(words, RESULT, result);
    value(words, METRICS_FILE, metricsFile);
    value(words, LOG_FORMAT, logFormat == Log.Format.PLAIN ? "" : logFormat.name());
    flag(words, QUIET, quiet);
    flag(words, VERBOSE, verbose);
    return words;
  }

  private static void flag(List<String> words, String option, boolean said) {
    if (said) {
      words.add(option);
    }
  }

  private static void value(List<String> words, String option, String value) {
    if (!value.isEmpty()) {
      words.add(option + "=" + value);
    }
  }
}
