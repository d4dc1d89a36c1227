package org.shardmend.job;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.DiscoveryOptions;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.plan.Plan;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.JournalResult;
import org.shardmend.storage.Location;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/** The actions on directories of this machine, with every default, as tests ask for them. */
record Actions(SparkJob job, List<RuleFamily> rules) {

  static Actions withDefaultRules(SparkJob job) throws JobException {
    return new Actions(job, RuleSources.defaultsAnd(List.of()));
  }

  static Actions withOnlyRules(SparkJob job, String... families) throws JobException {
    return new Actions(job, RuleSources.only(List.of(families)));
  }

  /** A checkpoint of two ranks, two layers with MLA and several parts a rank. */
  static Trial generate(Path directory, Fault fault) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .tp(2)
            .layers(8)
            .bytes(600_000)
            .maxShardBytes(100_000)
            .fault(fault)
            .build();
    return new GenerateAction(settings, location(directory), "", Progress.SILENT).execute();
  }

  static Location location(Path directory) throws JobException {
    return Locations.parse(directory.toString(), new Configuration());
  }

  PlanRequest of(Path checkpoint) throws JobException {
    return new PlanRequest(
        location(checkpoint), DiscoveryOptions.defaults(), rules, UnknownDtypes.REFUSE);
  }

  Plan plan(Path checkpoint) throws JobException {
    return new PlanAction(job, of(checkpoint)).execute().plan();
  }

  RepairResult repair(Path checkpoint, Path output) throws JobException {
    return repair(RepairRequest.toOutput(of(checkpoint), location(output)));
  }

  RepairResult repairInPlace(Path checkpoint) throws JobException {
    return repair(RepairRequest.inPlace(of(checkpoint)));
  }

  RepairResult repair(RepairRequest request) throws JobException {
    return new RepairAction(job, request).execute();
  }

  JournalResult rollback(Path checkpoint) throws JobException {
    return new RollbackAction(location(checkpoint), false, Progress.SILENT).execute();
  }

  VerifyResult verify(Path checkpoint) throws JobException {
    return verify(new VerifyRequest(of(checkpoint), VerifyRequest.Depth.HEADERS));
  }

  VerifyResult verifyExpected(Path checkpoint, ExpectedState expected) throws JobException {
    return verify(
        new VerifyRequest(of(checkpoint), VerifyRequest.Depth.HEADERS).expected(expected));
  }

  /** Compares every byte. */
  VerifyResult verifyAgainst(Path checkpoint, Path source) throws JobException {
    return verify(
        new VerifyRequest(of(checkpoint), VerifyRequest.Depth.FULL).against(location(source)));
  }

  VerifyResult verify(VerifyRequest request) throws JobException {
    return new VerifyAction(job, request).execute();
  }
}
