package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.shardmend.audit.RunId;
import org.shardmend.cli.option.RunIds;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.audit.ReportAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend report}: a page of one run. */
@Command(
    name = "report",
    description = "Make a page of one run: what was wrong, what was done, the proof.",
    footer = {
      "",
      "Example:",
      "  shardmend report /lustre/ckpt/kimi-k3-repaired --output report.html"
    })
final class ReportCommand extends ShardmendCommand {
  @Parameters(
      paramLabel = "AUDIT",
      description = "An audit's directory, or a repaired checkpoint that holds its own.")
  private String audit;

  @Option(names = "--run", paramLabel = "ID", description = "Which run; the last one by default.")
  private String run = "";

  @Option(
      names = "--output",
      paramLabel = "FILE",
      required = true,
      description = "Where the page goes: one HTML file that needs nothing else.")
  private String output = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    Optional<RunId> wanted = RunIds.parse(run);
    RunId shown;
    try (SparkJob job = SparkJob.start("shardmend report", progress)) {
      shown =
          new ReportAction(
                  job, Locations.parse(audit, DriverHadoop.configuration()), wanted, output)
              .execute();
    }
    ObjectNode document = object();
    document.put("run_id", shown.value());
    document.put("output", output);
    return CommandResult.done(
        document, List.of("Wrote %s, on run %s".formatted(Printable.of(output), shown)));
  }
}
