package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.audit.RunOutcome;
import org.shardmend.cli.option.AuditTableOption;
import org.shardmend.cli.option.ReadingOptions;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.PlanText;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.sweep.HiddenCheckpoints;
import org.shardmend.job.sweep.SweepAction;
import org.shardmend.job.sweep.SweepRequest;
import org.shardmend.job.sweep.SweepResult;
import org.shardmend.job.sweep.SweptCheckpoint;
import org.shardmend.plan.ByteSize;
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
        "Find every checkpoint below ROOT and repair what needs it, several at once in one Spark"
            + " application. One's failure never stops the others.",
    footer = {
      "",
      "Patterns are globs over paths below the root; '**/' also matches nothing.",
      "Exit: 0 all well, 4 some were refused, 5 some failed.",
      "",
      "Examples:",
      "  shardmend sweep /lustre/ckpt --in-place --audit /lustre/audits --modified-since 24h",
      "  shardmend sweep /lustre/ckpt --dry-run --audit /lustre/audits --exclude '**/scratch'"
    })
final class SweepCommand extends ShardmendCommand {
  private static final int MESSAGE_INDENT = 16;

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
  private int depth = SweepRequest.DEFAULT_DEPTH;

  @Option(
      names = "--include",
      paramLabel = "GLOB",
      description = "Only checkpoints whose path below the root matches.")
  private List<String> includes = new ArrayList<>();

  @Option(
      names = "--exclude",
      paramLabel = "GLOB",
      description = "Nothing at or below a path that matches.")
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
  private Duration settle = SweepRequest.DEFAULT_SETTLE;

  @Option(
      names = "--retry-refused",
      description = "Try again what was refused before, though no file has changed.")
  private boolean retryRefused;

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "How many checkpoints are worked on at once (${DEFAULT-VALUE}).")
  private int parallel = SweepRequest.DEFAULT_PARALLEL;

  @Option(
      names = "--max-bytes-in-flight",
      paramLabel = "SIZE",
      converter = GenerateCommand.Size.class,
      description =
          "How large those may be together, by their files; a larger one is worked on alone.")
  private long maxBytesInFlight = Long.MAX_VALUE;

  @Mixin private ReadingOptions reading;

  @Override
  CommandResult run(Progress progress) throws JobException {
    SweepRequest request = request();
    SweepResult result;
    try (SparkJob job = SparkJob.startForMany("shardmend sweep", progress)) {
      result = new SweepAction(job, request).execute();
    }
    List<SweptCheckpoint> swept = result.checkpoints();
    RunOutcome worst =
        swept.stream()
            .map(checkpoint -> outcome(checkpoint.outcome()))
            .max(Comparator.comparingInt(SweepCommand::weight))
            .orElse(RunOutcome.NOTHING_TO_DO);
    ExitCode exit =
        switch (worst) {
          case DONE, NOTHING_TO_DO, FOUND, ROLLED_BACK -> ExitCode.DONE;
          case REFUSED -> ExitCode.REFUSED;
          case FAILED -> ExitCode.FAILED;
        };
    return new CommandResult(worst, exit, document(result), text(result));
  }

  private static RunOutcome outcome(SweptCheckpoint.Outcome outcome) {
    return switch (outcome) {
      case NOTHING_TO_DO, UNSETTLED, UNKNOWN_LAYOUT, GONE -> RunOutcome.NOTHING_TO_DO;
      case FOUND -> RunOutcome.FOUND;
      case DONE -> RunOutcome.DONE;
      case REFUSED, REFUSED_BEFORE -> RunOutcome.REFUSED;
      case FAILED -> RunOutcome.FAILED;
    };
  }

  /** What counts more for the sweep as a whole. */
  private static int weight(RunOutcome outcome) {
    return switch (outcome) {
      case NOTHING_TO_DO -> 0;
      case FOUND -> 1;
      case DONE, ROLLED_BACK -> 2;
      case REFUSED -> 3;
      case FAILED -> 4;
    };
  }

  private SweepRequest request() throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    List<Location> places = new ArrayList<>();
    for (String root : roots) {
      places.add(Locations.parse(root, hadoop));
    }
    SweepRequest request =
        new SweepRequest(places, reading.at(places.get(0)), Locations.parse(audit, hadoop))
            .depth(depth)
            .settle(settle)
            .modifiedSince(modifiedSince)
            .parallel(parallel)
            .maxBytesInFlight(maxBytesInFlight);
    auditTable.name().ifPresent(request::auditTable);
    for (String glob : includes) {
      request.include(glob);
    }
    for (String glob : excludes) {
      request.exclude(glob);
    }
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

  private static ObjectNode document(SweepResult result) {
    List<SweptCheckpoint> swept = result.checkpoints();
    ObjectNode document = object();
    Map<String, Long> outcomes = new TreeMap<>();
    Map<String, Long> counts = new TreeMap<>();
    for (SweptCheckpoint checkpoint : swept) {
      outcomes.merge(checkpoint.outcome().id(), 1L, Long::sum);
      checkpoint.counts().byName().forEach((action, n) -> counts.merge(action, n, Long::sum));
    }
    document.set("outcomes", counts(outcomes));
    document.set("counts", counts(counts));
    document.put("shards", swept.stream().mapToLong(SweptCheckpoint::shards).sum());
    document.put("bytes_read", swept.stream().mapToLong(SweptCheckpoint::bytesRead).sum());
    document.put("bytes_written", swept.stream().mapToLong(SweptCheckpoint::bytesWritten).sum());
    ArrayNode list = document.putArray("checkpoints");
    for (SweptCheckpoint checkpoint : swept) {
      ObjectNode node = list.addObject();
      node.put("checkpoint", checkpoint.checkpoint().toString());
      node.put("outcome", checkpoint.outcome().id());
      putOrNull(node, "run_id", checkpoint.runId());
      putOrNull(node, "output", checkpoint.output());
      node.set("counts", counts(checkpoint.counts().byName()));
      node.put("shards", checkpoint.shards());
      node.put("bytes_read", checkpoint.bytesRead());
      node.put("bytes_written", checkpoint.bytesWritten());
      node.put("seconds", checkpoint.seconds());
      putOrNull(node, "code", checkpoint.code());
      putOrNull(node, "message", checkpoint.message());
    }
    ArrayNode findings = document.putArray("findings");
    ArrayNode notLookedAt = document.putArray("not_looked_at");
    result.findings().forEach(one -> findings.add(finding(one)));
    for (HiddenCheckpoints hidden : result.hidden()) {
      hidden.hidden().forEach(one -> notLookedAt.add(one.toString()));
    }
    return document;
  }

  private static List<String> text(SweepResult result) {
    List<SweptCheckpoint> swept = result.checkpoints();
    List<String> lines = new ArrayList<>();
    lines.add(
        "%-15s %9s %9s %9s %8s  %s"
            .formatted("outcome", "changes", "read", "written", "seconds", "checkpoint"));
    Map<String, Long> outcomes = new TreeMap<>();
    for (SweptCheckpoint checkpoint : swept) {
      outcomes.merge(checkpoint.outcome().id(), 1L, Long::sum);
      lines.add(
          String.format(
              Locale.ROOT,
              "%-15s %,9d %9s %9s %8.1f  %s",
              checkpoint.outcome().id(),
              checkpoint.counts().rename() + checkpoint.counts().drop(),
              ByteSize.format(checkpoint.bytesRead()),
              ByteSize.format(checkpoint.bytesWritten()),
              checkpoint.seconds(),
              Printable.of(checkpoint.checkpoint().toString())));
      reason(checkpoint.message())
          .ifPresent(reason -> lines.add(" ".repeat(MESSAGE_INDENT) + Printable.of(reason)));
    }
    lines.addAll(PlanText.findings(result.findings()));
    lines.add(
        swept.isEmpty()
            ? "No checkpoints."
            : "%,d checkpoints: %s"
                .formatted(
                    swept.size(),
                    outcomes.entrySet().stream()
                        .map(entry -> "%,d %s".formatted(entry.getValue(), entry.getKey()))
                        .collect(Collectors.joining(", "))));
    return lines;
  }

  /** A message's first line, with the second where the first one only announces a list. */
  private static Optional<String> reason(String message) {
    return message
        .lines()
        .limit(2)
        .reduce((first, second) -> first.endsWith(":") ? first + " " + second.strip() : first);
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
