package org.shardmend.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.JobException;
import org.shardmend.job.Progress;
import org.shardmend.job.ResultFile;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * What all commands have in common: a command computes a {@link CommandResult} or ends with a
 * {@link JobException}; here it becomes a document, lines for people, and an exit code.
 */
abstract class ShardmendCommand implements Callable<Integer> {
  /** Set by the launcher when standard error is a terminal. */
  private static final String TERMINAL_PROPERTY = "shardmend.terminal";

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  @Mixin private OutputOptions output;
  @Spec private CommandSpec spec;

  /** Does the work. */
  abstract CommandResult run(Progress progress) throws JobException;

  @Override
  public final Integer call() {
    Log.configure(output.verbose, output.quiet);
    CommandResult result;
    try {
      result = run(progress());
    } catch (JobException e) {
      if (output.verbose) {
        e.printStackTrace(err());
      }
      err().println(Printable.lines("shardmend: " + e.getMessage()));
      result = failure(e);
    }
    ObjectNode document = document(result);
    if (output.json) {
      print(document);
    } else {
      result.text().forEach(line -> out().println(Printable.lines(line)));
    }
    return writeResult(document, result.exit());
  }

  /** The name that the schema shows. */
  final String name() {
    return spec.name();
  }

  final CommandSpec spec() {
    return spec;
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

  private Progress progress() {
    return output.quiet
        ? Progress.SILENT
        : new ConsoleProgress(err(), Boolean.getBoolean(TERMINAL_PROPERTY));
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
    document.put("outcome", result.outcome().id());
    document.setAll(result.document());
    return document;
  }

  private int writeResult(ObjectNode document, ExitCode exit) {
    if (output.result.isEmpty()) {
      return exit.code();
    }
    ObjectNode withCode = document.deepCopy().put("exit_code", exit.code());
    try {
      ResultFile.write(output.result, text(withCode).getBytes(StandardCharsets.UTF_8));
      return exit.code();
    } catch (JobException e) {
      err().println(Printable.lines("shardmend: " + e.getMessage()));
      return exit == ExitCode.DONE ? ExitCode.FAILED.code() : exit.code();
    }
  }

  private void print(ObjectNode document) {
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

  private static PrintStream err() {
    return System.err;
  }
}
