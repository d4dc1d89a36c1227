package org.shardmend.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.Log;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.ProcessFailures;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Entry point of the command line. */
public final class Main {
  /** By name, in the order of the help text. */
  private static final Map<String, Supplier<? extends AnsweringCommand>> COMMANDS =
      new LinkedHashMap<>();

  /** Completes the others. */
  private static final String NEEDS_ALL = "completion";

  static {
    COMMANDS.put("demo", DemoCommand::new);
    COMMANDS.put("generate", GenerateCommand::new);
    COMMANDS.put("inspect", InspectCommand::new);
    COMMANDS.put("plan", PlanCommand::new);
    COMMANDS.put("repair", RepairCommand::new);
    COMMANDS.put("verify", VerifyCommand::new);
    COMMANDS.put("rollback", RollbackCommand::new);
    COMMANDS.put("audit", AuditCommand::new);
    COMMANDS.put("sweep", SweepCommand::new);
    COMMANDS.put("report", ReportCommand::new);
    COMMANDS.put("rules", RulesCommand::new);
    COMMANDS.put("run", RunCommand::new);
    COMMANDS.put(NEEDS_ALL, CompletionCommand::new);
  }

  private static final String ROOT = "shardmend";

  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    // Documents, names and messages are the same everywhere; some locales have digits of their own.
    Locale.setDefault(Locale.ROOT);
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
    try {
      return commandLineFor(args).execute(args);
    } catch (Error e) { // Before or after the command's work: a library is missing, as a rule.
      return ended(ProcessFailures.toJobException(e), args);
    }
  }

  private static int ended(JobException failure, String... args) {
    Log.error(failure.getMessage());
    String command = args.length > 0 && COMMANDS.containsKey(args[0]) ? args[0] : ROOT;
    return answer(
        args, ExitCode.FAILED, new FailureDocument(command, failure.code(), failure.getMessage()));
  }

  /**
   * The command line with no more than {@code args} need: reading what a command takes from its
   * annotations costs about 15 ms for each.
   */
  private static CommandLine commandLineFor(String... args) {
    String first = args.length == 0 ? "" : args[0];
    return COMMANDS.containsKey(first) && !first.equals(NEEDS_ALL)
        ? commandLine(Stream.of(COMMANDS.get(first)))
        : commandLine();
  }

  /** The command line with all commands. */
  static CommandLine commandLine() {
    return commandLine(COMMANDS.values().stream());
  }

  private static CommandLine commandLine(Stream<Supplier<? extends AnsweringCommand>> commands) {
    RootCommand root = new RootCommand();
    CommandLine line = new CommandLine(root);
    commands.forEach(command -> line.addSubcommand(command.get()));
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(
            parsed -> {
              requireValues(parsed);
              root.applySparkOptions();
              return new CommandLine.RunLast().execute(parsed);
            })
        .setParameterExceptionHandler(Main::wrongUse)
        .setExecutionExceptionHandler(Main::unexpected)
        .setUsageHelpAutoWidth(true);
  }

  /** An empty word is a variable that a script has not set: it is not taken for no option. */
  private static void requireValues(CommandLine.ParseResult parsed) {
    for (CommandLine.ParseResult at = parsed; at != null; at = at.subcommand()) {
      for (ArgSpec argument : at.matchedArgs()) {
        if (argument.arity().max() > 0 && argument.originalStringValues().contains("")) {
          throw new ParameterException(
              at.commandSpec().commandLine(),
              "%s is empty; give it a value, or leave it out".formatted(shown(argument)),
              argument,
              "");
        }
      }
    }
  }

  private static String shown(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
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
      System.out.println(failure.node().toPrettyString());
    }
    new AnswerFiles(
            failure.command(),
            FailureDocument.value(OutputOptions.RESULT, args).orElse(""),
            FailureDocument.value(OutputOptions.METRICS_FILE, args).orElse(""))
        .end(failure.node(), exit, 0);
    return exit.code();
  }
}
