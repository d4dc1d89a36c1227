package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Clock;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.JsonText;
import org.shardmend.cli.text.Log;
import org.shardmend.cli.text.RunMetrics;
import org.shardmend.job.files.ResultFile;
import org.shardmend.job.spark.JobException;
import org.shardmend.storage.protocol.SmallFiles;

/**
 * The files that a command leaves its answer in, where it was asked to: its document with the exit
 * code, and metrics. Until there is an answer the document says {@code running}, so that nobody
 * takes an earlier run's for this one's, whatever becomes of the process.
 */
final class AnswerFiles {
  private static final String RUNNING = "running";

  private final String command;
  private String result;
  private String metrics;

  /**
   * The files of one run.
   *
   * @param command its name
   * @param result where the document goes; empty for nowhere
   * @param metrics where the metrics go; empty for nowhere
   */
  AnswerFiles(String command, String result, String metrics) {
    this.command = command;
    this.result = result;
    this.metrics = metrics;
  }

  /**
   * Finds out whether the files can be written, and writes that the command runs. A place that
   * turns out to be none is not tried again.
   *
   * @param run the run's id
   * @throws JobException USAGE when a folder is missing, FAILED when the document can't be written
   */
  void begin(String run) throws JobException {
    String wantedResult = result;
    String wantedMetrics = metrics;
    result = "";
    metrics = "";
    if (!wantedResult.isEmpty()) {
      ResultFile.requireFolder(OutputOptions.RESULT, wantedResult);
      ObjectNode document = AnsweringCommand.object();
      document.put("schema", AnsweringCommand.schema(command));
      document.put("outcome", RUNNING);
      document.put("run_id", run);
      document.put("started", Clock.systemUTC().instant().toString());
      ResultFile.write(wantedResult, out -> JsonText.write(document, out));
      result = wantedResult;
    }
    if (!wantedMetrics.isEmpty()) {
      ResultFile.requireFolder(OutputOptions.METRICS_FILE, wantedMetrics);
      metrics = wantedMetrics;
    }
  }

  /**
   * Writes the answer; what can't be written is said.
   *
   * @return whether all of it is written
   */
  boolean end(ObjectNode document, ExitCode exit, double seconds) {
    boolean written = true;
    if (!result.isEmpty()) {
      ObjectNode withCode = AnsweringCommand.object();
      withCode.setAll(document);
      withCode.put("exit_code", exit.code());
      written = write(result, out -> JsonText.write(withCode, out));
    }
    if (!metrics.isEmpty()) {
      RunMetrics numbers =
          new RunMetrics(command, document, exit, seconds, Clock.systemUTC().instant());
      written &= write(metrics, out -> out.write(numbers.text()));
    }
    return written;
  }

  private static boolean write(String file, SmallFiles.Content content) {
    try {
      ResultFile.write(file, content);
      return true;
    } catch (JobException e) {
      Log.error(e.getMessage());
      return false;
    }
  }
}
