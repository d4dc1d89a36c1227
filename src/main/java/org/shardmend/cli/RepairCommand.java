package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.audit.RunOutcome;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.cli.option.AuditTableOption;
import org.shardmend.cli.option.CheckpointOptions;
import org.shardmend.cli.option.RewriteOptions;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.PlanText;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.Locations;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.ByteSize;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.bytes.DigestAlgorithm;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code shardmend repair}: a corrected checkpoint, beside the source or in its place. */
@Command(
    name = "repair",
    description = "Repair a checkpoint, into a new directory or in place.",
    footer = {
      "",
      "Exit: 0 done or nothing to do, 4 it can't be repaired safely, 5 failed: run again to"
          + " resume.",
      "",
      "Examples:",
      "  shardmend repair /lustre/ckpt/kimi-k3 --in-place",
      "  shardmend repair hdfs:///ckpt/kimi-k3 --output hdfs:///ckpt/kimi-k3-repaired --verify full"
    })
final class RepairCommand extends ShardmendCommand {
  @Mixin private CheckpointOptions checkpoint;

  @Mixin private RewriteOptions rewrites;

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Target target;

  private static final class Target {
    @Option(
        names = "--output",
        paramLabel = "DIR",
        description = "Write the corrected checkpoint here, a free name; the source is only read.")
    private String output = "";

    @Option(
        names = "--in-place",
        description =
            "Change the checkpoint itself: headers only, where they fit. Undo with 'rollback'.")
    private boolean inPlace;
  }

  @Option(
      names = "--strategy",
      paramLabel = "S",
      converter = StrategyName.class,
      description =
          "auto (default), patch, clone, link or copy. A forced one that can't be had is an error.")
  private Forced strategy = Forced.AUTO;

  /** What {@code --strategy} takes. */
  private enum Forced {
    AUTO,
    PATCH,
    CLONE,
    LINK,
    COPY;

    Optional<Strategy> strategy() {
      return switch (this) {
        case AUTO -> Optional.empty();
        case PATCH -> Optional.of(Strategy.PATCH);
        case CLONE -> Optional.of(Strategy.CLONE);
        case LINK -> Optional.of(Strategy.LINK);
        case COPY -> Optional.of(Strategy.COPY);
      };
    }
  }

  @Option(
      names = "--link-unchanged",
      description =
          "Hard-link shards without any change into the output. Linked files share their fate: what"
              + " is written into one is in the other.")
  private boolean linkUnchanged;

  @Option(
      names = "--allow-hard-links",
      description = "In place: patch files with several names, too; all names change together.")
  private boolean allowHardLinks;

  @Option(
      names = "--forget",
      description = "In place: remove the journal at the end; 'rollback' is then impossible.")
  private boolean forget;

  @Option(
      names = "--adopt-journal",
      description =
          "In place: finish the journal of a stopped repair in place that another user, or another"
              + " host, began.")
  private boolean adoptJournal;

  @Option(
      names = "--digest",
      paramLabel = "D",
      converter = DigestName.class,
      description =
          "xxh3-128 (default), sha256 or none: of each tensor whose bytes are read. In place, a"
              + " digest that is asked for has every byte read once, and 'verify --full' compares"
              + " with it later.")
  private String digest = "";

  @Option(
      names = "--verify",
      paramLabel = "DEPTH",
      description =
          "headers (default): reopen every written shard; full: digest what storage now holds.")
  private RepairRequest.Verify verify = RepairRequest.Verify.HEADERS;

  @Option(
      names = "--audit",
      paramLabel = "DIR",
      description = "Where the audit tables are; TARGET/.shardmend/audit by default.")
  private String audit = "";

  @Mixin private AuditTableOption auditTable;

  @Option(
      names = "--max-bytes-per-second",
      paramLabel = "SIZE",
      converter = Rate.class,
      description = "What each executor process may move at most, on a shared file system.")
  private long maxBytesPerSecond = Long.MAX_VALUE;

  @Option(
      names = "--restart",
      description = "Throw away what a repair with other arguments left for the same output.")
  private boolean restart;

  @Option(
      names = "--break-lock",
      description = "Remove another run's lock. Only when it is certain that that run is gone.")
  private boolean breakLock;

  @Override
  CommandResult run(Progress progress) throws JobException {
    RepairRequest request = request();
    RepairResult result;
    try (SparkJob job = SparkJob.start("shardmend repair", progress)) {
      result = new RepairAction(job, request).execute();
    }
    RunOutcome outcome =
        switch (result.outcome()) {
          case DONE -> RunOutcome.DONE;
          case NOTHING_TO_DO -> RunOutcome.NOTHING_TO_DO;
        };
    return new CommandResult(outcome, ExitCode.DONE, document(result), text(result));
  }

  private RepairRequest request() throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    RepairRequest request =
        target.inPlace
            ? RepairRequest.inPlace(rewrites.on(checkpoint.request()))
            : RepairRequest.toOutput(
                rewrites.on(checkpoint.request()), Locations.parse(target.output, hadoop));
    request.run(runId()).verify(verify).maxBytesPerSecond(maxBytesPerSecond);
    if (!digest.isEmpty()) {
      request.digest(digest);
    }
    strategy.strategy().ifPresent(request::strategy);
    if (!audit.isEmpty()) {
      request.audit(Locations.parse(audit, hadoop));
    }
    auditTable.name().ifPresent(request::auditTable);
    if (linkUnchanged) {
      request.linkUnchanged();
    }
    if (allowHardLinks) {
      request.allowHardLinks();
    }
    if (forget) {
      request.forget();
    }
    if (restart) {
      request.restart();
    }
    if (adoptJournal) {
      request.adoptJournal();
    }
    if (breakLock) {
      request.breakLock();
    }
    return request;
  }

  private static ObjectNode document(RepairResult result) {
    ObjectNode document = object();
    document.put("run_id", result.runId());
    document.put("checkpoint", result.checkpoint());
    putOrNull(document, "output", result.output());
    putOrNull(document, "fingerprint", result.fingerprint());
    document.set("counts", counts(result.counts().byName()));
    ObjectNode strategies = document.putObject("strategies");
    Stream.of(Strategy.values())
        .filter(result.strategies()::containsKey)
        .forEach(s -> strategies.put(s.name(), result.strategies().get(s)));
    document.put("bytes_read", result.bytesRead());
    document.put("bytes_written", result.bytesWritten());
    document.put("seconds", result.seconds());
    ObjectNode stages = document.putObject("stage_seconds");
    result.stageSeconds().forEach(stages::put);
    putOrNull(document, "audit", result.audit());
    ArrayNode findings = document.putArray("findings");
    result.findings().forEach(finding -> findings.add(finding(finding)));
    return document;
  }

  private List<String> text(RepairResult result) {
    List<String> lines = new ArrayList<>(PlanText.findings(result.findings()));
    if (result.outcome() == RepairResult.Outcome.NOTHING_TO_DO) {
      lines.add(
          "Nothing to do: no active rule would change a name in "
              + Printable.of(result.checkpoint()));
      if (target.inPlace && !digest.isEmpty() && !digest.equals(RepairRequest.NO_DIGEST)) {
        lines.add("No digest was recorded: a repair records them when it changes something.");
      }
      return lines;
    }
    String strategies =
        Stream.of(Strategy.values())
            .filter(result.strategies()::containsKey)
            .map(s -> "%s %,d".formatted(s, result.strategies().get(s)))
            .collect(Collectors.joining(", "));
    lines.add("Repaired     " + Printable.of(result.output()));
    lines.add(
        "Tensors      %,d renamed, %,d dropped, %,d as they were"
            .formatted(result.counts().rename(), result.counts().drop(), result.counts().keep()));
    lines.add("Shards       " + strategies);
    lines.add(
        "Moved        %s read, %s written, in %.1f s"
            .formatted(
                ByteSize.format(result.bytesRead()),
                ByteSize.format(result.bytesWritten()),
                result.seconds()));
    lines.add("Run          " + result.runId());
    if (!result.audit().isEmpty()) {
      lines.add("Audit        " + Printable.of(result.audit()));
    }
    lines.add("");
    lines.add(
        "Next: shardmend verify %s%s --expected-state FILE"
            .formatted(ShellWord.of(result.output()), checkpoint.readingWords()));
    if (target.inPlace && !forget) {
      lines.add("Undo: shardmend rollback " + ShellWord.of(result.output()));
    }
    return lines;
  }

  private static final class StrategyName implements ITypeConverter<Forced> {
    @Override
    public Forced convert(String text) {
      return Stream.of(Forced.values())
          .filter(forced -> forced.name().equalsIgnoreCase(text))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is no strategy; there are auto, patch, clone, link, copy"
                          .formatted(text)));
    }
  }

  private static final class Rate implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      long bytes = new GenerateCommand.Size().convert(text);
      if (bytes < 1) {
        throw new TypeConversionException(
            "'%s' would move nothing; leave the option out for no limit".formatted(text));
      }
      return bytes;
    }
  }

  private static final class DigestName implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      String label = text.toLowerCase(Locale.ROOT);
      if (label.equals(RepairRequest.NO_DIGEST) || DigestAlgorithm.ofLabel(label).isPresent()) {
        return label;
      }
      throw new TypeConversionException(
          "'%s' is no digest; there are xxh3-128, sha256, none".formatted(text));
    }
  }
}
