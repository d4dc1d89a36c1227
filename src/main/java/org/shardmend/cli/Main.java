package org.shardmend.cli;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.shardmend.job.JobException;
import org.shardmend.job.ResultFile;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Entry point of the command line. */
public final class Main {
  private static final String MASTER = "--master";
  private static final String CONF = "--conf";

  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    int exitCode = run(args);
    if (exitCode != ExitCode.DONE.code() || !isYarnsApplicationMaster()) {
      System.exit(exitCode);
    }
  }

  /** YARN's application master takes every exit for a failure, and only a return for success. */
  private static boolean isYarnsApplicationMaster() {
    return "yarn".equals(System.getProperty("spark.master"))
        && "cluster".equals(System.getProperty("spark.submit.deployMode"));
  }

  /** Runs one command and returns its exit code. */
  static int run(String... args) {
    Deque<String> rest = new ArrayDeque<>(Arrays.asList(args));
    try {
      takeSparkOptions(rest);
    } catch (IllegalArgumentException e) {
      System.err.println("shardmend: " + Printable.lines(e.getMessage()));
      return answer(
          args, ExitCode.USAGE, new FailureDocument("shardmend", "usage", e.getMessage()));
    }
    return commandLine().execute(rest.toArray(String[]::new));
  }

  static CommandLine commandLine() {
    return new CommandLine(new RootCommand())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::wrongUse)
        .setExecutionExceptionHandler(Main::unexpected)
        .setUsageHelpAutoWidth(true);
  }

  /** What stands before the command is Spark's, and reaches it as system properties. */
  private static void takeSparkOptions(Deque<String> args) {
    while (!args.isEmpty()) {
      String head = args.peek();
      if (head.equals(MASTER) || head.equals(CONF)) {
        args.pop();
        setSparkOption(head, args.isEmpty() ? "" : args.pop());
      } else if (head.startsWith(MASTER + "=") || head.startsWith(CONF + "=")) {
        args.pop();
        int equals = head.indexOf('=');
        setSparkOption(head.substring(0, equals), head.substring(equals + 1));
      } else {
        return;
      }
    }
  }

  private static void setSparkOption(String option, String value) {
    if (option.equals(MASTER)) {
      if (value.isEmpty() || value.startsWith("-")) {
        throw new IllegalArgumentException("--master needs a URL: --master local[4]");
      }
      System.setProperty("spark.master", value);
      return;
    }
    int equals = value.indexOf('=');
    if (equals <= 0 || !value.startsWith("spark.")) {
      throw new IllegalArgumentException(
          "--conf needs spark.KEY=VALUE, but got '%s'".formatted(value));
    }
    System.setProperty(value.substring(0, equals), value.substring(equals + 1));
  }

  private static int wrongUse(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    System.err.println("shardmend: " + Printable.lines(e.getMessage()));
    if (!CommandLine.UnmatchedArgumentException.printSuggestions(e, command.getErr())) {
      System.err.println(
          "Try: shardmend %s--help"
              .formatted(command.getParent() == null ? "" : command.getCommandName() + " "));
    }
    return answer(
        args,
        ExitCode.USAGE,
        new FailureDocument(command.getCommandName(), "usage", e.getMessage()));
  }

  private static int unexpected(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    String message =
        "this is a fault of shardmend's own, please report it: " + Printable.lines(e.toString());
    System.err.println("shardmend: " + message);
    e.printStackTrace(System.err);
    return answer(
        parsed.originalArgs().toArray(String[]::new),
        ExitCode.FAILED,
        new FailureDocument(command.getCommandName(), "internal", message));
  }

  /** Gives the document of a command that never ran to where the arguments want it. */
  private static int answer(String[] args, ExitCode exit, FailureDocument failure) {
    if (List.of(args).contains("--json")) {
      System.out.println(failure.text());
    }
    Optional<String> file = FailureDocument.resultFile(args);
    if (file.isPresent()) {
      try {
        ResultFile.write(file.get(), failure.textWith(exit).getBytes(StandardCharsets.UTF_8));
      } catch (JobException e) {
        System.err.println("shardmend: " + Printable.lines(e.getMessage()));
      }
    }
    return exit.code();
  }
}
