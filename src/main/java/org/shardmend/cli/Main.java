package org.shardmend.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.shardmend.job.JobException;
import org.shardmend.job.ResultFile;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Entry point of the command line. */
public final class Main {
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
    return commandLine().execute(args);
  }

  static CommandLine commandLine() {
    RootCommand root = new RootCommand();
    return new CommandLine(root)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(
            parsed -> {
              root.applySparkOptions();
              return new CommandLine.RunLast().execute(parsed);
            })
        .setParameterExceptionHandler(Main::wrongUse)
        .setExecutionExceptionHandler(Main::unexpected)
        .setUsageHelpAutoWidth(true);
  }

  private static int wrongUse(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    formLog(args);
    Log.error(e.getMessage());
    Log.info(hint(e, command));
    return answer(
        args,
        ExitCode.USAGE,
        new FailureDocument(command.getCommandName(), "usage", e.getMessage()));
  }

  /** In the form that the arguments ask for, as far as they can be understood. */
  private static void formLog(String[] args) {
    boolean json =
        FailureDocument.value(OutputOptions.LOG_FORMAT, args)
            .filter(Log.Format.JSON.name()::equalsIgnoreCase)
            .isPresent();
    try {
      Log.configure(false, false, json ? Log.Format.JSON : Log.Format.PLAIN);
    } catch (JobException e) {
      Log.error(e.getMessage());
    }
  }

  private static String hint(ParameterException e, CommandLine command) {
    StringWriter suggestions = new StringWriter();
    if (CommandLine.UnmatchedArgumentException.printSuggestions(
        e, new PrintWriter(suggestions, true))) {
      return suggestions.toString().strip();
    }
    return "Try: shardmend %s--help"
        .formatted(command.getParent() == null ? "" : command.getCommandName() + " ");
  }

  private static int unexpected(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    String message =
        "this is a fault of shardmend's own, please report it: " + Printable.lines(e.toString());
    Log.error(message, e);
    return answer(
        parsed.originalArgs().toArray(String[]::new),
        ExitCode.FAILED,
        new FailureDocument(command.getCommandName(), "internal", message));
  }

  /** Gives the document of a command that never ran to where the arguments want it. */
  private static int answer(String[] args, ExitCode exit, FailureDocument failure) {
    if (List.of(args).contains(OutputOptions.JSON)) {
      System.out.println(failure.text());
    }
    write(
        FailureDocument.value(OutputOptions.RESULT, args),
        failure.textWith(exit).getBytes(StandardCharsets.UTF_8));
    write(FailureDocument.value(OutputOptions.METRICS_FILE, args), failure.metrics(exit));
    return exit.code();
  }

  private static void write(Optional<String> file, byte[] content) {
    if (file.isPresent()) {
      try {
        ResultFile.write(file.get(), content);
      } catch (JobException e) {
        Log.error(e.getMessage());
      }
    }
  }
}
