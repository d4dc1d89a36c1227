package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.shardmend.audit.RunOutcome;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.cli.option.CheckpointOptions;
import org.shardmend.cli.option.EngineOption;
import org.shardmend.cli.option.ExpectationOptions;
import org.shardmend.cli.text.ExitCode;
import org.shardmend.cli.text.VerifyText;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.DriverHadoop;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.PartialExpectation;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code shardmend verify}: what is wrong with a checkpoint. */
@Command(
    name = "verify",
    description = "Check a checkpoint: the format's rules and the loader's contract.",
    footer = {
      "",
      "Exit: 0 nothing is wrong, 3 a fault was found.",
      "",
      "Examples:",
      "  shardmend verify /lustre/ckpt/kimi-k3-repaired --expected-state expected.json",
      "  shardmend verify /lustre/ckpt/kimi-k3-repaired --like /lustre/ckpt/kimi-k3-healthy",
      "  shardmend verify /lustre/ckpt/kimi-k3-repaired --against /lustre/ckpt/kimi-k3 --full"
    })
final class VerifyCommand extends ShardmendCommand {
  @Mixin private CheckpointOptions checkpoint;

  @Mixin private EngineOption engine;

  @Option(
      names = "--against",
      paramLabel = "SOURCE",
      description = "Hold it to what the rules make of this source.")
  private String against = "";

  @Mixin private ExpectationOptions expectation;

  @Option(
      names = "--partial-expectation",
      description =
          "Judge the ranks that the expected state speaks of, and warn of the others instead of"
              + " calling each a fault.")
  private boolean partialExpectation;

  @Option(names = "--full", description = "Read every byte, not only the headers.")
  private boolean full;

  @Option(
      names = "--source-model",
      paramLabel = "DIR",
      description =
          "With --full: find ranks that were exchanged, by the slices of this model's tensors, a"
              + " Hugging Face one.")
  private String sourceModel = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    VerifyRequest request =
        new VerifyRequest(
            engine.on(checkpoint.request()),
            full ? VerifyRequest.Depth.FULL : VerifyRequest.Depth.HEADERS);
    if (partialExpectation && !expectation.given()) {
      throw JobException.usage(
          "bad-option",
          "--partial-expectation is about an expected state: give it with --expected-state or"
              + " --like");
    }
    request.expecting(expectation.expectation());
    if (partialExpectation) {
      request.partialExpectation(PartialExpectation.ACCEPTED);
    }
    if (!against.isEmpty()) {
      request.against(Locations.parse(against, DriverHadoop.configuration()));
    }
    if (!sourceModel.isEmpty()) {
      if (!full) {
        throw JobException.usage(
            "source-model-without-full",
            "--source-model compares the bytes of tensors, so it needs --full");
      }
      request.sourceModel(Locations.parse(sourceModel, DriverHadoop.configuration()));
    }
    VerifyResult result;
    try (SparkJob job = SparkJob.start("shardmend verify", progress)) {
      result = new VerifyAction(job, request).execute();
    }
    return new CommandResult(
        result.ok() ? RunOutcome.DONE : RunOutcome.FOUND,
        result.ok() ? ExitCode.DONE : ExitCode.FOUND,
        document(result),
        VerifyText.of(result, checkpoint.words(), expectation.words()));
  }

  private ObjectNode document(VerifyResult result) {
    ObjectNode document = object();
    document.put("checkpoint", result.checkpoint().toString());
    document.put("ok", result.ok());
    putOrNull(document, "loader", result.loader().map(Loader::id).orElse(""));
    document.put("units", result.units());
    document.put("shards", result.shards());
    document.put("tensors", result.tensors());
    document.put("bytes_read", result.bytesRead());
    if (full) {
      document
          .putObject("digests")
          .put("compared", result.coverage().compared())
          .put("missing", result.coverage().missing());
    } else {
      document.putNull("digests");
    }
    if (sourceModel.isEmpty()) {
      document.putNull("source_model");
    } else {
      document
          .putObject("source_model")
          .put("compared", result.slices().compared())
          .put("in_place", result.slices().inPlace())
          .put("not_comparable", result.slices().notComparable());
    }
    ArrayNode faults = document.putArray("faults");
    for (Finding fault : result.faults()) {
      ObjectNode node = faults.addObject();
      node.put("code", fault.code());
      putOrNull(node, "shard", fault.shard());
      putOrNull(node, "tensor", fault.tensor());
      node.put("message", fault.message());
    }
    ArrayNode findings = document.putArray("findings");
    result.findings().forEach(finding -> findings.add(finding(finding)));
    ArrayNode cures = document.putArray("cures");
    result.cures().families().forEach(cures::add);
    return document;
  }
}
