package org.shardmend.cli;

import org.shardmend.checkpoint.DiscoveryOptions;
import org.shardmend.job.DriverHadoop;
import org.shardmend.job.JobException;
import org.shardmend.job.Locations;
import org.shardmend.job.PlanRequest;
import org.shardmend.safetensors.UnknownDtypes;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which checkpoint a command is about, and how it is read. */
final class CheckpointOptions {
  @Parameters(
      paramLabel = "CHECKPOINT",
      description = "The checkpoint's directory, on any file system that Hadoop knows.")
  String checkpoint;

  @Option(
      names = "--pattern",
      paramLabel = "P",
      description =
          "The shards' names, with {rank}, {part} and, for pipeline stages, {pp_rank}, as given to"
              + " the engine.")
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
          "Let module names in config.json's quantization section follow the tensors' names.")
  boolean rewriteConfig;

  @Mixin RuleOptions rules;

  PlanRequest request() throws JobException {
    return new PlanRequest(
        Locations.parse(checkpoint, DriverHadoop.configuration()),
        discovery(),
        rules.families(),
        allowUnknownDtypes ? UnknownDtypes.ALLOW : UnknownDtypes.REFUSE,
        rewriteConfig);
  }

  private DiscoveryOptions discovery() {
    DiscoveryOptions defaults = DiscoveryOptions.defaults();
    return pattern.isEmpty() ? defaults : defaults.withPattern(pattern);
  }
}
