package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.DiscoveryOptions;
import org.shardmend.job.DriverHadoop;
import org.shardmend.job.JobException;
import org.shardmend.job.Locations;
import org.shardmend.job.PlanRequest;
import org.shardmend.job.Progress;
import org.shardmend.job.SparkJob;
import org.shardmend.job.SweepAction;
import org.shardmend.job.SweepRequest;
import org.shardmend.job.SweptCheckpoint;
import org.shardmend.plan.ByteSize;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code shardmend sweep}: repairs whatever needs it below some roots. */
@Command(
    name = "sweep",
    description =
        "Find every checkpoint below ROOT and repair what needs it, one after the other in one Spark"
            + " application.",
    footer = {
      "",
      "Exit: 0 all well, 4 some were refused, 5 some failed.",
      "",
      "Example:",
      "  shardmend sweep /lustre/ckpt --in-place --audit /lustre/audits --modified-since 24h"
    })
final class SweepCommand extends ShardmendCommand {
  @Parameters(paramLabel = "ROOT", arity = "1..*", description = "Where to look.")
  private List<String> roots = new ArrayList<>();

  @ArgGroup(exclusive = true, multiplicity = "1")
  private Mode mode;

  private static final class Mode {
    @SuppressWarnings(
        "UnusedVariable") // One of the group must be said; what the others don't say is this.
    @Option(names = "--in-place", description = "Repair each checkpoint in its place.")
    private boolean inPlace;

    @Option(
        names = "--output-root",
        paramLabel = "DIR",
        description = "Write repaired checkpoints into a tree here that mirrors the roots.")
    private String outputRoot = "";

    @Option(names = "--dry-run", description = "Only say what would be done.")
    private boolean dryRun;
  }

  @Option(
      names = "--audit",
      paramLabel = "DIR",
      required = true,
      description = "Where rows go, and where is remembered what was refused.")
  private String audit = "";

  @Mixin private AuditTableOption auditTable;

  @Option(
      names = "--depth",
      paramLabel = "N",
      description = "How many directories deep (${DEFAULT-VALUE}).")
  private int depth = 4;

  @Option(
      names = "--include",
      paramLabel = "GLOB",
      description = "Only paths, relative to the root, that match.")
  private List<String> includes = new ArrayList<>();

  @Option(names = "--exclude", paramLabel = "GLOB", description = "No paths that match.")
  private List<String> excludes = new ArrayList<>();

  @Option(
      names = "--modified-since",
      paramLabel = "AGE|TIME",
      converter = Since.class,
      description = "Only what was written to since: 24h, 7d, 2026-11-30T00:00:00Z.")
  private Instant modifiedSince = Instant.EPOCH;

  @Option(
      names = "--settle",
      paramLabel = "AGE",
      converter = Age.class,
      description = "Leave alone what was written to this lately (10m by default).")
  private Duration settle = Duration.ofMinutes(10);

  @Option(
      names = "--retry-refused",
      description = "Try again what was refused before, though no file has changed.")
  private boolean retryRefused;

  @Mixin private RuleOptions rules;

  @Override
  CommandResult run(Progress progress) throws JobException {
    SweepRequest request = request();
    List<SweptCheckpoint> swept;
    try (SparkJob job = SparkJob.start("shardmend sweep", progress)) {
      swept = new SweepAction(job, request).execute();
    }
    boolean failed = has(swept, SweptCheckpoint.Outcome.FAILED);
    boolean refused =
        has(swept, SweptCheckpoint.Outcome.REFUSED)
            || has(swept, SweptCheckpoint.Outcome.REFUSED_BEFORE);
    boolean worked =
        has(swept, SweptCheckpoint.Outcome.DONE) || has(swept, SweptCheckpoint.Outcome.FOUND);
    if (failed) {
      return new CommandResult(Outcome.FAILED, ExitCode.FAILED, document(swept), text(swept));
    }
    if (refused) {
      return new CommandResult(Outcome.REFUSED, ExitCode.REFUSED, document(swept), text(swept));
    }
    return new CommandResult(
        worked ? Outcome.DONE : Outcome.NOTHING_TO_DO, ExitCode.DONE, document(swept), text(swept));
  }

  private static boolean has(List<SweptCheckpoint> swept, SweptCheckpoint.Outcome outcome) {
    return swept.stream().anyMatch(checkpoint -> checkpoint.outcome() == outcome);
  }

  private SweepRequest request() throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    List<Location> places = new ArrayList<>();
    for (String root : roots) {
      places.add(Locations.parse(root, hadoop));
    }
    PlanRequest template =
        new PlanRequest(
            places.get(0), DiscoveryOptions.defaults(), rules.families(), UnknownDtypes.REFUSE);
    SweepRequest request =
        new SweepRequest(places, template, Locations.parse(audit, hadoop))
            .depth(depth)
            .settle(settle)
            .modifiedSince(modifiedSince);
    auditTable.name().ifPresent(request::auditTable);
    includes.forEach(request::include);
    excludes.forEach(request::exclude);
    if (!mode.outputRoot.isEmpty()) {
      request.outputRoot(Locations.parse(mode.outputRoot, hadoop));
    }
    if (mode.dryRun) {
      request.dryRun();
    }
    if (retryRefused) {
      request.retryRefused();
    }
    return request;
  }

  private static ObjectNode document(List<SweptCheckpoint> swept) {
    ObjectNode document = object();
    ArrayNode list = document.putArray("checkpoints");
    for (SweptCheckpoint checkpoint : swept) {
      ObjectNode node = list.addObject();
      node.put("checkpoint", checkpoint.checkpoint().toString());
      node.put("outcome", checkpoint.outcome().id());
      node.set("counts", counts(checkpoint.counts().byName()));
      node.put("bytes_written", checkpoint.bytesWritten());
      node.put("seconds", checkpoint.seconds());
      putOrNull(node, "message", checkpoint.message());
    }
    return document;
  }

  private static List<String> text(List<SweptCheckpoint> swept) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%-15s %9s %9s %8s  %s"
            .formatted("outcome", "changes", "written", "seconds", "checkpoint"));
    for (SweptCheckpoint checkpoint : swept) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-15s %,9d %9s %8.1f  %s",
              checkpoint.outcome().id(),
              checkpoint.counts().rename() + checkpoint.counts().drop(),
              ByteSize.format(checkpoint.bytesWritten()),
              checkpoint.seconds(),
              Printable.of(checkpoint.checkpoint().toString())));
      if (!checkpoint.message().isEmpty()) {
        lines.add("                " + checkpoint.message());
      }
    }
    lines.add("%,d checkpoints".formatted(swept.size()));
    return lines;
  }

  /** Reads ages such as {@code 10m}, {@code 24h}, {@code 7d}. */
  private static final class Age implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(?<n>[0-9]{1,9})(?<unit>[smhd])");

    @Override
    public Duration convert(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches()) {
        throw new TypeConversionException(
            "'%s' is no age; write a number and s, m, h or d, such as 24h".formatted(text));
      }
      long number = Long.parseLong(form.group("n"));
      return switch (form.group("unit")) {
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        case "h" -> Duration.ofHours(number);
        default -> Duration.ofDays(number);
      };
    }
  }

  private static final class Since implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      try {
        return text.contains("T")
            ? Instant.parse(text)
            : Instant.now().minus(new Age().convert(text));
      } catch (DateTimeParseException e) {
        throw new TypeConversionException(
            "'%s' is no time; write 24h or 2026-11-30T00:00:00Z".formatted(text));
      }
    }
  }
}
