package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Locale;
import org.shardmend.audit.RunOutcome;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.Locations;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.Location;
import org.shardmend.storage.journal.JournalResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend rollback}: the undoing of a repair in place. Starts no Spark. */
@Command(
    name = "rollback",
    description = "Undo a repair in place, finished or not: every header as it was before.",
    footer = {
      "",
      "Examples:",
      "  shardmend rollback /lustre/ckpt/kimi-k3",
      "  shardmend rollback /lustre/ckpt/kimi-k3 --audit /lustre/audits"
    })
final class RollbackCommand extends ShardmendCommand {
  @Parameters(paramLabel = "CHECKPOINT", description = "The checkpoint's directory.")
  private String checkpoint;

  @Option(
      names = "--break-lock",
      description = "Remove another run's lock. Only when it is certain that that run is gone.")
  private boolean breakLock;

  @Option(
      names = "--adopt-journal",
      description =
          "Undo by the journal of a stopped repair in place that another user, or another host,"
              + " began.")
  private boolean adoptJournal;

  @Option(
      names = "--audit",
      paramLabel = "DIR",
      description =
          "Where the repair's audit is, if not below the checkpoint: it gets a row of the undoing.")
  private String audit = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    Location location = Locations.parse(checkpoint, DriverHadoop.configuration());
    RollbackAction action = new RollbackAction(location, breakLock, progress);
    if (adoptJournal) {
      action.adoptJournal();
    }
    if (!audit.isEmpty()) {
      action.audit(Locations.parse(audit, DriverHadoop.configuration()));
    }
    JournalResult result = action.execute();
    ObjectNode document = object();
    document.put("checkpoint", location.toString());
    document.put("journal", result.outcome().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    document.put("files", result.files());
    document.put("bytes_read", result.bytesRead());
    document.put("bytes_written", result.bytesWritten());
    String where = Printable.of(location.toString());
    return switch (result.outcome()) {
      case NOTHING ->
          new CommandResult(
              RunOutcome.NOTHING_TO_DO,
              ExitCode.DONE,
              document,
              List.of("Nothing to undo: %s has no journal".formatted(where)));
      case DISCARDED ->
          CommandResult.done(
              document,
              List.of(
                  "Removed a journal that was only being prepared; %s was never changed"
                      .formatted(where)));
      case ROLLED_BACK, APPLIED ->
          CommandResult.done(
              document,
              List.of("%s is as it was before: %,d files".formatted(where, result.files())));
    };
  }
}
