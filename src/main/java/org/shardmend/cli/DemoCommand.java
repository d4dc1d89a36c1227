package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.shardmend.audit.RunOutcome;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.PlanText;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.ExpectedStates;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.ByteSize;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code shardmend demo}: the whole story on a checkpoint of its own making. */
@Command(
    name = "demo",
    description =
        "Build a broken 32-rank checkpoint, show why it does not load, plan, repair, verify, and"
            + " show the audit.",
    footer = {"", "Examples:", "  shardmend demo", "  shardmend demo /tmp/shardmend-demo"})
final class DemoCommand extends ShardmendCommand {
  private static final int MOST_ERRORS = 3;

  @Parameters(
      paramLabel = "DIR",
      arity = "0..1",
      description = "Where to do it: a free name; a new temporary directory by default.")
  private String directory = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    Location root = root();
    Location broken = root.child("broken");
    Location repaired = root.child("repaired");
    String expectedFile = root.child("expected.json").path();
    List<String> lines = new ArrayList<>();

    title(
        lines,
        "1. A checkpoint of a hybrid MLA / linear-attention MoE model, TP=4, PP=8, saved after a"
            + " forward");
    Trial trial = new GenerateAction(settings(), broken, expectedFile, progress).execute();
    lines.add(
        "   %,d ranks, %,d shards, %,d tensors, %s in %s"
            .formatted(
                trial.ranks(),
                trial.shards(),
                trial.tensors(),
                ByteSize.format(trial.shardBytes()),
                Printable.of(broken.path())));

    PlanRequest plan = request(broken);
    try (SparkJob job = SparkJob.start("shardmend demo", progress)) {
      VerifyResult before = verify(job, broken, expectedFile);
      title(lines, "2. What a loader says of it");
      lines.addAll(errors(before));

      title(lines, "3. What a repair would do: shardmend plan");
      PlannedCheckpoint planned = new PlanAction(job, plan).execute();
      PlanText.of(planned, ShellWord.of(broken.path())).forEach(line -> lines.add("   " + line));

      title(lines, "4. The repair: shardmend repair --output");
      RepairResult result = new RepairAction(job, RepairRequest.toOutput(plan, repaired)).execute();
      lines.add(
          "   %,d renamed, %,d dropped, %,d as they were; %s written in %.1f s"
              .formatted(
                  result.counts().rename(),
                  result.counts().drop(),
                  result.counts().keep(),
                  ByteSize.format(result.bytesWritten()),
                  result.seconds()));

      title(
          lines,
          "5. The proof: shardmend verify --expected-state, and --against the source, every byte");
      VerifyResult contract = verify(job, repaired, expectedFile);
      VerifyResult bytes =
          new VerifyAction(
                  job,
                  new VerifyRequest(request(repaired), VerifyRequest.Depth.FULL).against(broken))
              .execute();
      lines.add("   loader's contract: " + verdict(contract));
      lines.add("   every tensor's bytes under its decision: " + verdict(bytes));

      title(lines, "6. The audit: shardmend audit");
      Map<String, Long> counts = auditCounts(job, repaired);
      counts.forEach((action, count) -> lines.add("   %-8s %,d".formatted(action, count)));

      lines.addAll(next(root, broken, repaired, expectedFile));
      boolean ok = contract.ok() && bytes.ok() && !before.ok();
      return new CommandResult(
          ok ? RunOutcome.DONE : RunOutcome.FAILED,
          ok ? ExitCode.DONE : ExitCode.FAILED,
          document(broken, repaired, before, contract, bytes, result, counts),
          lines);
    }
  }

  private static void title(List<String> lines, String text) {
    lines.add("");
    lines.add(text);
  }

  private Location root() throws JobException {
    try {
      Path path =
          directory.isEmpty()
              ? Files.createTempDirectory("shardmend-demo-")
              : Files.createDirectories(Path.of(directory));
      return Location.ofFile(path.toRealPath().toString());
    } catch (IOException e) {
      throw JobException.failed(
          "not-written", "Cannot make the demo's directory: " + e.getMessage(), e);
    }
  }

  private static TrialSettings settings() {
    return TrialSettings.builder()
        .tp(4)
        .pp(8)
        .ep(4)
        .layers(64)
        .bytes(100_000_000)
        .maxShardBytes(1_200_000)
        .build();
  }

  private static PlanRequest request(Location checkpoint) throws JobException {
    return new PlanRequest(
        checkpoint,
        DiscoveryOptions.defaults(),
        RuleSources.defaultsAnd(List.of()),
        UnknownDtypes.REFUSE);
  }

  private static VerifyResult verify(SparkJob job, Location checkpoint, String expectedFile)
      throws JobException {
    VerifyRequest request =
        new VerifyRequest(request(checkpoint), VerifyRequest.Depth.HEADERS)
            .expected(ExpectedStates.read(expectedFile));
    return new VerifyAction(job, request).execute();
  }

  private static List<String> errors(VerifyResult result) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "   %,d faults, on every pipeline stage; the first ones:"
            .formatted(result.faults().size()));
    result.faults().stream()
        .limit(MOST_ERRORS)
        .map(Finding::message)
        .forEach(message -> lines.add("     " + Printable.of(message)));
    return lines;
  }

  private static String verdict(VerifyResult result) {
    return result.ok()
        ? "no fault in %,d tensors".formatted(result.tensors())
        : "%,d faults".formatted(result.faults().size());
  }

  private static Map<String, Long> auditCounts(SparkJob job, Location repaired)
      throws JobException {
    Map<String, Long> counts = new TreeMap<>();
    new AuditQuery(job, repaired)
        .read(run -> {}, row -> counts.merge(row.getAs("action"), 1L, Long::sum));
    return counts;
  }

  private static List<String> next(
      Location root, Location broken, Location repaired, String expectedFile) {
    String from = ShellWord.of(broken.path());
    String to = ShellWord.of(repaired.path());
    return List.of(
        "",
        "Look next:",
        "   shardmend audit %s --action RENAME".formatted(to),
        "   shardmend inspect " + to,
        "   shardmend repair %s --in-place      (patches headers only)".formatted(from),
        "   shardmend rollback %s               (and undoes it)".formatted(from),
        "   shardmend verify %s --expected-state %s".formatted(from, ShellWord.of(expectedFile)),
        "Remove it all with: rm -r " + ShellWord.of(root.path()));
  }

  private static ObjectNode document(
      Location broken,
      Location repaired,
      VerifyResult before,
      VerifyResult contract,
      VerifyResult bytes,
      RepairResult result,
      Map<String, Long> counts) {
    ObjectNode document = object();
    document.put("checkpoint", broken.toString());
    document.put("output", repaired.toString());
    document.put("faults_before", before.faults().size());
    document.put("faults_after", contract.faults().size() + bytes.faults().size());
    document.put("run_id", result.runId());
    document.put("audit", result.audit());
    document.set("counts", counts(counts));
    return document;
  }
}
