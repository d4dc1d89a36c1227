package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.checkpoint.Finding;
import org.shardmend.cli.text.ConsoleProgress;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.JsonText;
import org.shardmend.cli.text.Log;
import org.shardmend.cli.text.Printable;
import org.shardmend.cli.text.ThreadErrors;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.LoggedRun;
import org.shardmend.job.spark.ProcessFailures;
import org.shardmend.job.spark.Progress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * How all commands answer: a {@link CommandResult} or a {@link JobException} becomes a document,
 * lines for people, metrics, and an exit code.
 */
public abstract class AnsweringCommand implements Callable<Integer> {
  /** Set by the launcher when standard error is a terminal. */
  private static final String TERMINAL_PROPERTY = "shardmend.terminal";

  private static final int PRINT_BUFFER_BYTES = 1 << 16;

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  private final RunId runId = RunId.next(Clock.systemUTC(), new SecureRandom());

  /** What a command computes. */
  @FunctionalInterface
  interface Work {
    CommandResult run() throws JobException;
  }

  /** Does the work, and says how it ended; every line of the log meanwhile has the run's id. */
  @SuppressWarnings("try") // The resources act by being open.
  final int answer(Work work) {
    long began = System.nanoTime();
    AnswerFiles files = new AnswerFiles(name(), output.result, output.metricsFile);
    try (LoggedRun logged = LoggedRun.of(runId);
        ThreadErrors watched = ThreadErrors.watch(error -> endNow(error, files, began))) {
      CommandResult result = result(work, files);
      try {
        return answer(result, files, began);
      } catch (Error e) { // Memory may run out while the answer is written, too.
        return answerToFiles(failed(ProcessFailures.toJobException(e)), files, began);
      }
    }
  }

  private CommandResult result(Work work, AnswerFiles files) {
    try {
      Log.configure(output.verbose, output.quiet, output.logFormat);
      files.begin(runId.value());
      return work.run();
    } catch (JobException e) {
      return failed(e);
    } catch (RuntimeException e) {
      return failed(ProcessFailures.behind(e).orElseThrow(() -> e));
    } catch (Error e) { // A process that lacks something has failed like any other.
      return failed(ProcessFailures.toJobException(e));
    }
  }

  private CommandResult failed(JobException e) {
    if (output.verbose) {
      Log.error(e.getMessage(), e);
    } else {
      Log.error(e.getMessage());
    }
    return failure(e);
  }

  /** Says that this process can't go on, and ends it as a kill would: threads wait for others. */
  private void endNow(Error error, AnswerFiles files, long began) {
    try {
      answer(failed(ProcessFailures.toJobException(error)), files, began);
    } finally {
      Runtime.getRuntime().halt(ExitCode.FAILED.code());
    }
  }

  private int answer(CommandResult result, AnswerFiles files, long began) {
    boolean printed = true;
    if (output.json) {
      printed = print(document(result));
    } else {
      result.text().forEach(line -> out().println(Printable.lines(line)));
    }
    int exit = answerToFiles(result, files, began);
    return printed ? exit : ExitCode.FAILED.code();
  }

  /** A file that can't be written makes a success a failure: somebody relies on it. */
  private int answerToFiles(CommandResult result, AnswerFiles files, long began) {
    double seconds = (System.nanoTime() - began) / 1e9;
    boolean written = files.end(document(result), result.exit(), seconds);
    return !written && result.exit() == ExitCode.DONE
        ? ExitCode.FAILED.code()
        : result.exit().code();
  }

  /** The id of this run: in its log and, where a command makes one row of an audit, there. */
  final RunId runId() {
    return runId;
  }

  /** The name that the schema shows. */
  final String name() {
    return spec.name();
  }

  final CommandSpec spec() {
    return spec;
  }

  final OutputOptions output() {
    return output;
  }

  final boolean json() {
    return output.json;
  }

  /** The schema of a command's documents. */
  static String schema(String command) {
    return "shardmend/" + command + "/1";
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static ObjectNode counts(Map<String, Long> counts) {
    ObjectNode node = object();
    counts.forEach(node::put);
    return node;
  }

  static ObjectNode finding(Finding finding) {
    ObjectNode node = object();
    node.put("code", finding.code());
    node.put("severity", finding.severity().name().toLowerCase(Locale.ROOT));
    putOrNull(node, "shard", finding.shard());
    node.put("message", finding.message());
    return node;
  }

  /** Sets a member, to null where our values say "none" with an empty string. */
  static void putOrNull(ObjectNode node, String member, String value) {
    if (value.isEmpty()) {
      node.putNull(member);
    } else {
      node.put(member, value);
    }
  }

  /** Sets a member to a rank, to null where the layout has none. */
  static void putRank(ObjectNode node, String member, OptionalInt rank) {
    if (rank.isPresent()) {
      node.put(member, rank.getAsInt());
    } else {
      node.putNull(member);
    }
  }

  final Progress progress() {
    if (output.quiet) {
      return Progress.SILENT;
    }
    return Boolean.getBoolean(TERMINAL_PROPERTY) && Log.isForPeople()
        ? ConsoleProgress.live(System.err)
        : ConsoleProgress.lines(Log::info);
  }

  private CommandResult failure(JobException e) {
    ExitCode exit = ExitCode.of(e.kind());
    ObjectNode document = object();
    ObjectNode error = document.putObject("error");
    error.put("code", e.code());
    error.put("message", e.getMessage());
    putOrNull(error, "shard", e.shard().orElse(""));
    putOrNull(error, "tensor", e.tensor().orElse(""));
    e.problems().forEach(problem -> document.withArray("findings").add(finding(problem)));
    RunOutcome outcome = exit == ExitCode.REFUSED ? RunOutcome.REFUSED : RunOutcome.FAILED;
    return new CommandResult(outcome, exit, document, List.of());
  }

  private ObjectNode document(CommandResult result) {
    ObjectNode document = object();
    document.put("schema", schema(name()));
    document.put("outcome", result.outcome().token());
    document.setAll(result.document());
    return document;
  }

  /** Prints the document; whether all of it could be written. */
  private static boolean print(ObjectNode document) {
    PrintStream out = out();
    try {
      BufferedOutputStream buffered = new BufferedOutputStream(out, PRINT_BUFFER_BYTES);
      JsonText.write(document, buffered);
      buffered.flush();
      out.println();
      out.flush();
    } catch (IOException e) {
      Log.error("Cannot print the document: " + e.getMessage());
      return false;
    }
    if (out.checkError()) {
      Log.error("Cannot print the document: standard output is closed or full");
      return false;
    }
    return true;
  }

  private static PrintStream out() {
    return System.out;
  }
}
