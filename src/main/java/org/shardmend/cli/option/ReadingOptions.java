package org.shardmend.cli.option;

import org.shardmend.checkpoint.ShellWord;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.Rewrites;
import org.shardmend.job.spark.JobException;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How checkpoints are read and judged; the same for all commands that do. */
public final class ReadingOptions {
  @Option(
      names = "--pattern",
      paramLabel = "P",
      description =
          "The shards' names, with {rank}, {part} and, for pipeline stages, {pp_rank}, as given to"
              + " the engine. Without braces: the single file of a Hugging Face model, whose"
              + " numbered files and index are then read, too (consolidated.safetensors).")
  String pattern = "";

  @Option(
      names = "--allow-unknown-dtypes",
      description =
          "Carry tensors of a type that this version doesn't know through, byte for byte, and say"
              + " so in the audit.")
  boolean allowUnknownDtypes;

  @Option(
      names = "--rewrite-config",
      description =
          "Let module names in config.json's quantization section, in hf_quant_config.json,"
              + " quantize_config.json and quant_config.json follow the tensors' names, patterns"
              + " included.")
  boolean rewriteConfig;

  @Mixin RuleOptions rules;

  /** A look at this checkpoint. */
  public PlanRequest at(Location checkpoint) throws JobException {
    PlanRequest request =
        new PlanRequest(
            checkpoint,
            discovery(),
            rules.families(),
            allowUnknownDtypes ? UnknownDtypes.ALLOW : UnknownDtypes.REFUSE);
    return rewriteConfig ? request.rewriting(Rewrites.NONE.withConfig()) : request;
  }

  /** These options as they were given, each after a space, for a shell. */
  public String words() {
    return (pattern.isEmpty() ? "" : " --pattern " + ShellWord.of(pattern))
        + (allowUnknownDtypes ? " --allow-unknown-dtypes" : "")
        + (rewriteConfig ? " --rewrite-config" : "")
        + rules.words();
  }

  private DiscoveryOptions discovery() {
    DiscoveryOptions defaults = DiscoveryOptions.defaults();
    return pattern.isEmpty() ? defaults : defaults.withPattern(pattern);
  }
}
