package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.audit.RunOutcome;
import org.shardmend.cli.option.CheckpointOptions;
import org.shardmend.cli.option.EngineOption;
import org.shardmend.cli.option.ExpectationOptions;
import org.shardmend.cli.option.RewriteOptions;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.PlanText;
import org.shardmend.cli.text.StreamedList;
import org.shardmend.job.files.Locations;
import org.shardmend.job.plan.Expectation;
import org.shardmend.job.plan.FindAliasesAction;
import org.shardmend.job.plan.FoundAliases;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Cost;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Plan;
import org.shardmend.plan.Strategy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code shardmend plan}: what a repair would do. */
@Command(
    name = "plan",
    description = "Show what a repair would do, and what each strategy would read and write.",
    footer = {
      "",
      "Exit: 0 nothing to do, 3 a repair would change something, 4 it can't be repaired safely.",
      "",
      "Examples:",
      "  shardmend plan /lustre/ckpt/kimi-k3",
      "  shardmend plan s3a://models/kimi-k3 --json",
      "  shardmend plan /lustre/ckpt/kimi-k3 --find-aliases --expected-state expected.json"
    })
final class PlanCommand extends ShardmendCommand {
  @Mixin private CheckpointOptions checkpoint;

  @Mixin private EngineOption engine;
  @Mixin private RewriteOptions rewrites;

  @Option(
      names = "--source-model",
      paramLabel = "DIR",
      description =
          "Warn of new names that this model in the Hugging Face layout does not know, and of total"
              + " bytes that don't add up.")
  private String sourceModel = "";

  @Option(
      names = "--find-aliases",
      description =
          "Look for names of a load unit that hold equal bytes, and with an expected state for"
              + " names that should be others, and propose rules. Reads tensors where they may be"
              + " equal.")
  private boolean findAliases;

  @Mixin private ExpectationOptions expectation;

  @Override
  CommandResult run(Progress progress) throws JobException {
    PlanRequest request = rewrites.on(engine.on(checkpoint.request()));
    requireUse(expectation);
    Expectation expected = expectation.expectation();
    PlannedCheckpoint planned;
    Optional<FoundAliases> aliases = Optional.empty();
    long read;
    try (SparkJob job = SparkJob.start("shardmend plan", progress)) {
      PlanAction action = new PlanAction(job, request);
      if (!sourceModel.isEmpty()) {
        action.sourceModel(Locations.parse(sourceModel, DriverHadoop.configuration()));
      }
      planned = action.execute();
      if (findAliases) {
        FindAliasesAction search = new FindAliasesAction(job, request, planned).expecting(expected);
        if (!sourceModel.isEmpty()) {
          search.sourceModel(Locations.parse(sourceModel, DriverHadoop.configuration()));
        }
        aliases = Optional.of(search.execute());
      }
      read = job.bytesRead();
    }
    Plan plan = planned.plan();
    RunOutcome outcome =
        plan.refused()
            ? RunOutcome.REFUSED
            : planned.nothingToDo() ? RunOutcome.NOTHING_TO_DO : RunOutcome.FOUND;
    ExitCode exit =
        switch (outcome) {
          case REFUSED -> ExitCode.REFUSED;
          case FOUND -> ExitCode.FOUND;
          case DONE, NOTHING_TO_DO, FAILED, ROLLED_BACK -> ExitCode.DONE;
        };
    ObjectNode document = document(planned);
    document.put("bytes_read", read);
    List<String> text =
        new ArrayList<>(PlanText.of(planned, checkpoint.words() + rewrites.words()));
    if (aliases.isPresent()) {
      document.set("aliases", AliasesShown.document(aliases.get()));
      text.addAll(AliasesShown.text(aliases.get()));
    }
    return new CommandResult(outcome, exit, document, text);
  }

  private void requireUse(ExpectationOptions given) throws JobException {
    if (given.given() && !findAliases) {
      throw JobException.usage(
          "no-find-aliases",
          "A plan goes by an expected state only with --find-aliases; to hold the checkpoint to it,"
              + " use 'shardmend verify'");
    }
  }

  private static ObjectNode document(PlannedCheckpoint planned) {
    Plan plan = planned.plan();
    ObjectNode document = object();
    document.put("checkpoint", planned.location().toString());
    document.put("layout", plan.layout());
    document.put("fingerprint", plan.fingerprint());
    document.put("units", plan.units());
    document.put("shards", plan.shards().size());
    document.put("bytes", plan.bytes());
    document.set("counts", counts(plan.counts().byName()));
    document.putPOJO(
        "decisions", new StreamedList(() -> plan.changes().map(PlanCommand::decision)));
    ArrayNode findings = document.putArray("findings");
    planned.findings().forEach(finding -> findings.add(finding(finding)));
    document.set("costs", costs(planned.costs()));
    return document;
  }

  static ObjectNode decision(Decision decision) {
    ObjectNode node = object();
    node.put("shard", decision.shard());
    putRank(node, "pp_rank", decision.unit().ppRank());
    putRank(node, "tp_rank", decision.unit().tpRank());
    node.put("tensor", decision.tensor());
    putOrNull(node, "target", decision.target());
    node.put("action", decision.action().name());
    putOrNull(node, "rule", decision.rule());
    node.put("reason", decision.reason());
    return node;
  }

  private static ObjectNode costs(Map<Strategy, Cost> costs) {
    ObjectNode node = object();
    costs.forEach(
        (strategy, cost) ->
            node.putObject(strategy.name())
                .put("reads", cost.reads())
                .put("writes", cost.writes())
                .put("extra_space", cost.extraSpace()));
    return node;
  }
}
