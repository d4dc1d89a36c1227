package org.shardmend.job;

import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.repair.RollbackAction;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Plan;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.journal.JournalResult;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/** The actions on directories of this machine, with every default, as tests ask for them. */
public record Actions(SparkJob job, List<RuleFamily> rules) {

  public static Actions withDefaultRules(SparkJob job) throws JobException {
    return new Actions(job, RuleSources.defaultsAnd(List.of()));
  }

  public static Actions withOnlyRules(SparkJob job, String... families) throws JobException {
    return new Actions(job, RuleSources.only(List.of(families)));
  }

  /** A checkpoint of two ranks, two layers with MLA and several parts a rank. */
  public static Trial generate(Path directory, Fault fault) throws JobException {
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

  public static Location location(Path directory) throws JobException {
    return Locations.parse(directory.toString(), new Configuration());
  }

  public PlanRequest of(Path checkpoint) throws JobException {
    return new PlanRequest(
        location(checkpoint), DiscoveryOptions.defaults(), rules, UnknownDtypes.REFUSE);
  }

  public Plan plan(Path checkpoint) throws JobException {
    return new PlanAction(job, of(checkpoint)).execute().plan();
  }

  RepairResult repair(Path checkpoint, Path output) throws JobException {
    return repair(RepairRequest.toOutput(of(checkpoint), location(output)));
  }

  public RepairResult repairInPlace(Path checkpoint) throws JobException {
    return repair(RepairRequest.inPlace(of(checkpoint)));
  }

  public RepairResult repair(RepairRequest request) throws JobException {
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
