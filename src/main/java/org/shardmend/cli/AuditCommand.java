package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.shardmend.audit.AuditCompaction;
import org.shardmend.audit.CatalogName;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.cli.option.AuditTableOption;
import org.shardmend.cli.option.RunIds;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.Printable;
import org.shardmend.cli.text.RowJson;
import org.shardmend.cli.text.SpilledRows;
import org.shardmend.job.audit.AuditCatalog;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.audit.CompactAction;
import org.shardmend.job.audit.StagedRuns;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Action;
import org.shardmend.storage.Location;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend audit}: the rows of an audit. */
@Command(
    name = "audit",
    description = "Print audit rows: what became of each tensor.",
    footer = {
      "",
      "Examples:",
      "  shardmend audit /lustre/ckpt/kimi-k3-repaired --action RENAME,DROP",
      "  shardmend audit /lustre/audits --run r20261130T081500Z-1a2b3c4d --json",
      "  shardmend audit /lustre/audits --audit-table lake.shardmend",
      "  shardmend audit /lustre/audits --compact"
    })
final class AuditCommand extends ShardmendCommand {
  private static final int MOST_LINES = 200;

  @Parameters(
      paramLabel = "PATH",
      description = "An audit's directory, or a repaired checkpoint that holds its own.")
  private String path;

  @Option(names = "--run", paramLabel = "ID", description = "Only this run.")
  private String run = "";

  @Option(
      names = "--action",
      paramLabel = "ACTION",
      split = ",",
      description = "Only tensors with these actions: KEEP, RENAME, DROP, REFUSE.")
  private List<Action> actions = new ArrayList<>();

  @Option(
      names = "--compact",
      description =
          "Print nothing, but make few files of many, month by month. Runs may go on meanwhile.")
  private boolean compact;

  @Mixin private AuditTableOption auditTable;

  @Override
  CommandResult run(Progress progress) throws JobException {
    Location place = Locations.parse(path, DriverHadoop.configuration());
    if (compact) {
      return compact(place, progress);
    }
    return auditTable.name().isPresent()
        ? append(place, auditTable.name().get(), progress)
        : print(place, progress);
  }

  private CommandResult append(Location place, CatalogName tables, Progress progress)
      throws JobException {
    if (!run.isEmpty() || !actions.isEmpty()) {
      throw JobException.usage(
          "option-without-meaning",
          "--audit-table appends every run of the audit that the tables lack, so --run and --action"
              + " mean nothing with it");
    }
    SortedSet<RunId> appended;
    try (SparkJob job = SparkJob.start("shardmend audit", progress)) {
      appended = new AuditCatalog(job, tables).appendAll(place);
    }
    ObjectNode document = object();
    document.put("audit_table", tables.toString());
    ArrayNode ids = document.putArray("appended");
    appended.forEach(id -> ids.add(id.value()));
    return new CommandResult(
        appended.isEmpty() ? RunOutcome.NOTHING_TO_DO : RunOutcome.DONE,
        ExitCode.DONE,
        document,
        List.of("%,d runs appended to %s".formatted(appended.size(), tables)));
  }

  private CommandResult compact(Location place, Progress progress) throws JobException {
    if (!run.isEmpty() || !actions.isEmpty() || auditTable.name().isPresent()) {
      throw JobException.usage(
          "option-without-meaning",
          "--compact is for the whole audit and does nothing else, so --run, --action and"
              + " --audit-table mean nothing with it");
    }
    CompactAction.Result result;
    try (SparkJob job = SparkJob.start("shardmend audit --compact", progress)) {
      result = new CompactAction(job, place).execute();
    }
    ObjectNode document = object();
    ArrayNode compacted = document.putArray("compacted");
    List<String> lines = new ArrayList<>();
    for (AuditCompaction.Result month : result.months()) {
      compacted
          .addObject()
          .put("month", month.month())
          .put("runs", month.runs())
          .put("files_before", month.filesBefore())
          .put("files_after", month.filesAfter());
      lines.add(
          "%s: %,d runs, %,d files became %,d"
              .formatted(month.month(), month.runs(), month.filesBefore(), month.filesAfter()));
    }
    if (result.months().isEmpty()) {
      lines.add("Nothing to compact");
    }
    tellOfStaged(result.staged(), document, lines);
    boolean idle = result.months().isEmpty() && result.staged().removed().isEmpty();
    return idle
        ? new CommandResult(RunOutcome.NOTHING_TO_DO, ExitCode.DONE, document, lines)
        : CommandResult.done(document, lines);
  }

  private static void tellOfStaged(
      StagedRuns.Result staged, ObjectNode document, List<String> lines) {
    ArrayNode removed = document.putArray("removed_staged");
    for (RunId run : staged.removed()) {
      removed.add(run.value());
      lines.add(
          "%s: removed what it had staged; it is gone, and nobody would append it".formatted(run));
    }
    ArrayNode left = document.putArray("left_staged");
    for (StagedRuns.Left one : staged.left()) {
      left.addObject()
          .put("run", one.run().value())
          .put("place", one.place().toString())
          .put("why", one.why());
      lines.add(
          Printable.of(
              "%s: left what it has staged. %s If you know that the run is gone and needs no row, remove it: %s"
                  .formatted(one.run(), one.why(), one.place())));
    }
  }

  private CommandResult print(Location place, Progress progress) throws JobException {
    ObjectNode document = object();
    boolean asked = json() || !output().result.isEmpty();
    SpilledRows runs = new SpilledRows(SpilledRows.DEFAULT_HEAP_BYTES);
    SpilledRows rows = new SpilledRows(SpilledRows.DEFAULT_HEAP_BYTES);
    document.putPOJO("runs", runs.list());
    document.putPOJO("rows", rows.list());
    Map<String, Long> counts = new TreeMap<>();
    List<String> lines = new ArrayList<>();
    List<String> shown = new ArrayList<>();
    Optional<RunId> wantedRun = RunIds.parse(run);
    try (SparkJob job = SparkJob.start("shardmend audit", progress)) {
      AuditQuery query = new AuditQuery(job, place);
      wantedRun.ifPresent(query::run);
      Set<Action> wanted =
          actions.isEmpty() ? EnumSet.allOf(Action.class) : EnumSet.copyOf(actions);
      query
          .actions(wanted)
          .read(
              row -> {
                if (asked) {
                  runs.add(RowJson.of(row));
                }
                if (!json()) {
                  lines.add(runLine(row));
                }
              },
              row -> {
                counts.merge(row.getAs("action"), 1L, Long::sum);
                if (asked) {
                  rows.add(RowJson.of(row));
                }
                if (shown.size() < MOST_LINES) {
                  shown.add(tensorLine(row));
                }
              });
    } catch (UncheckedIOException e) {
      throw noTemporarySpace(e.getCause());
    }
    lines.addAll(shown);
    document.set("counts", counts(counts));
    lines.add(
        counts.isEmpty()
            ? "No tensor rows."
            : "Tensor rows: "
                + counts.entrySet().stream()
                    .map(entry -> "%,d %s".formatted(entry.getValue(), entry.getKey()))
                    .reduce((left, right) -> left + ", " + right)
                    .orElse(""));
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    if (shown.size() < all) {
      lines.add("%,d of them are shown; --json prints every one".formatted(shown.size()));
    }
    return CommandResult.done(document, lines);
  }

  private static JobException noTemporarySpace(IOException failure) {
    return JobException.failed(
        "no-temporary-space",
        "The audit's rows are too many for the driver's heap, and can't be put into its temporary"
            + " directory (java.io.tmpdir): "
            + failure.getMessage(),
        failure);
  }

  private static String runLine(Row row) {
    String output = row.getAs("output");
    return "%s  %s  %s%s  (%s to %s)"
        .formatted(
            row.getAs("run_id"),
            row.<String>getAs("outcome"),
            Printable.of(String.valueOf(row.<String>getAs("checkpoint"))),
            output == null ? "" : " → " + Printable.of(output),
            row.getAs("started"),
            row.getAs("finished"));
  }

  private static String tensorLine(Row row) {
    String target = row.getAs("target_tensor");
    return String.format(
        Locale.ROOT,
        "  %-6s %s  %s%s",
        row.<String>getAs("action"),
        Printable.of(row.getAs("shard")),
        Printable.of(row.getAs("tensor")),
        target == null || target.equals(row.<String>getAs("tensor"))
            ? ""
            : "  →  " + Printable.of(target));
  }
}
