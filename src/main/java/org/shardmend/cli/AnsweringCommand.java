package org.shardmend.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.shardmend.audit.Outcome;
import org.shardmend.audit.RunId;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.JobException;
import org.shardmend.job.LoggedRun;
import org.shardmend.job.Progress;
import org.shardmend.job.ResultFile;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * How all commands answer: a {@link CommandResult} or a {@link JobException} becomes a document,
 * lines for people, metrics, and an exit code.
 */
abstract class AnsweringCommand implements Callable<Integer> {
  /** Set by the launcher when standard error is a terminal. */
  private static final String TERMINAL_PROPERTY = "shardmend.terminal";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  private final RunId runId = RunId.next(Clock.systemUTC(), new SecureRandom());

  /** What a command computes. */
  @FunctionalInterface
  interface Work {
    CommandResult run() throws JobException;
  }

  /** Does the work, and says how it ended; every line of the log meanwhile has the run's id. */
  @SuppressWarnings("try") // The resource acts by being open.
  final int answer(Work work) {
    long began = System.nanoTime();
    try (LoggedRun logged = LoggedRun.of(runId)) {
      CommandResult result;
      try {
        Log.configure(output.verbose, output.quiet, output.logFormat);
        result = work.run();
      } catch (JobException e) {
        if (output.verbose) {
          Log.error(e.getMessage(), e);
        } else {
          Log.error(e.getMessage());
        }
        result = failure(e);
      }
      ObjectNode document = document(result);
      if (output.json) {
        print(document);
      } else {
        result.text().forEach(line -> out().println(Printable.lines(line)));
      }
      return writeFiles(document, result.exit(), (System.nanoTime() - began) / 1e9);
    }
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

  static ObjectNode object() {
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
    Outcome outcome = exit == ExitCode.REFUSED ? Outcome.REFUSED : Outcome.FAILED;
    return new CommandResult(outcome, exit, document, List.of());
  }

  private ObjectNode document(CommandResult result) {
    ObjectNode document = object();
    document.put("schema", "shardmend/" + name() + "/1");
    document.put("outcome", result.outcome().token());
    document.setAll(result.document());
    return document;
  }

  /** A file that can't be written makes a success a failure: somebody relies on it. */
  private int writeFiles(ObjectNode document, ExitCode exit, double seconds) {
    boolean written = true;
    if (!output.result.isEmpty()) {
      ObjectNode withCode = document.deepCopy().put("exit_code", exit.code());
      written = write(output.result, text(withCode).getBytes(StandardCharsets.UTF_8));
    }
    if (!output.metricsFile.isEmpty()) {
      RunMetrics metrics =
          new RunMetrics(name(), document, exit, seconds, Clock.systemUTC().instant());
      written &= write(output.metricsFile, metrics.text());
    }
    return !written && exit == ExitCode.DONE ? ExitCode.FAILED.code() : exit.code();
  }

  private static boolean write(String file, byte[] content) {
    try {
      ResultFile.write(file, content);
      return true;
    } catch (JobException e) {
      Log.error(e.getMessage());
      return false;
    }
  }

  private static void print(ObjectNode document) {
    PrintStream out = out();
    out.println(text(document));
    out.flush();
  }

  private static String text(ObjectNode document) {
    try {
      return JSON.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("A tree of plain values always prints", e);
    }
  }

  private static PrintStream out() {
    return System.out;
  }
}
