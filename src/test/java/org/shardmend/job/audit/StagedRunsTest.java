package org.shardmend.job.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.RunId;
import org.shardmend.job.Actions;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.testing.StagedRun;
import org.shardmend.trial.Fault;

/** What runs left in an audit: gone once nobody can need it, and there as long as somebody may. */
class StagedRunsTest {
  private static final String RUN = "r20261130T081500Z-1a2b3c4d";
  private static final String LATER = "r20261201T081500Z-1a2b3c4d";

  @TempDir private Path scratch;
  private Path audit;
  private Path target;

  @BeforeEach
  void makePlaces() throws IOException {
    audit = Files.createDirectory(scratch.resolve("audit"));
    target = Files.createDirectory(scratch.resolve("target"));
  }

  @Test
  void whatADeadRunHasNotCompletedIsRemovedWhateverItWasToMake() throws Exception {
    StagedRun.make(audit, RUN, target).dead();

    StagedRuns.Result result = settleDead();

    assertThat(result.removed()).containsExactly(new RunId(RUN));
    assertThat(result.left()).isEmpty();
    assertThat(audit).isEmptyDirectory();
  }

  @Test
  void whatALiveRunHasStagedIsNotEvenMentioned() throws Exception {
    StagedRun staged = StagedRun.make(audit, RUN, target);

    StagedRuns.Result result = settleDead(target);

    assertThat(result.removed()).isEmpty();
    assertThat(result.left()).isEmpty();
    assertThat(staged.directory()).isNotEmptyDirectory();
  }

  @Test
  void whatMayBeOfARunElsewhereStaysAndIsSaid() throws Exception {
    StagedRun elsewhere = StagedRun.make(audit, RUN, target).elsewhere();
    StagedRun nobodys = StagedRun.make(audit, LATER, target).nobodys();

    StagedRuns.Result result = settleDead(target);

    assertThat(result.removed()).isEmpty();
    assertThat(whyLeft(result, RUN)).contains("on host elsewhere", "another host, whose processes");
    assertThat(whyLeft(result, LATER)).isEqualTo("Nothing there says which process made it.");
    assertThat(elsewhere.directory()).isNotEmptyDirectory();
    assertThat(nobodys.directory()).isNotEmptyDirectory();
  }

  @Test
  void aNoteThatCannotBeReadKeepsWhatItIsAboutAndNoOther() throws Exception {
    StagedRun strange = StagedRun.make(audit, RUN, target).nobodys();
    Files.createSymbolicLink(strange.directory().resolve("holder.json"), scratch.resolve("else"));
    StagedRun.make(audit, LATER, target).dead();

    StagedRuns.Result result = settleDead();

    assertThat(result.removed()).containsExactly(new RunId(LATER));
    assertThat(whyLeft(result, RUN)).contains("neither appended nor removed", "holder.json");
  }

  @Test
  void nothingBehindALinkIsRemoved() throws Exception {
    StagedRun staged = StagedRun.make(scratch.resolve("other"), RUN, target).dead();
    Files.createSymbolicLink(audit.resolve("_staging"), staged.directory().getParent());

    assertThat(settleDead().removed()).isEmpty();
    assertThat(staged.directory()).isNotEmptyDirectory();
  }

  @Test
  void completeRowsStayUntilTheirTargetIsOfAnotherRun() throws Exception {
    StagedRun.make(audit, RUN, target).prepared().dead();

    assertThat(whyLeft(settleDead(), RUN)).contains(target + " turns out to be its result");
    assertThat(whyLeft(settleDead(target), RUN)).contains("rows are complete");
    writeManifest(target, LATER);
    assertThat(whyLeft(settleDead(scratch.resolve("another")), RUN)).contains("rows are complete");

    assertThat(settleDead(target).removed()).containsExactly(new RunId(RUN));
    assertThat(audit).isEmptyDirectory();
  }

  @Test
  void completeRowsOfAnOpenJournalStayForTheRunThatFinishesIt() throws Exception {
    Actions.generate(target, Fault.ALIAS_ONLY);
    Actions actions = Actions.withDefaultRules(SharedSparkJob.withProgress(Progress.SILENT));
    RunId run = new RunId(RUN);
    RepairRequest stopped =
        inPlace(actions)
            .run(run)
            .listener(
                step -> {
                  if (step.startsWith("journal: apply")) {
                    throw new UncheckedIOException(new IOException("the disk is gone"));
                  }
                });
    assertThatThrownBy(() -> new RepairAction(actions.job(), stopped).execute())
        .hasStackTraceContaining("the disk is gone");
    StagedRun staged = StagedRun.of(audit, RUN).dead();
    writeManifest(target, LATER);
    assertThat(whyLeft(settleDead(target), RUN)).contains("rows are complete");
    Files.delete(target.resolve(Manifest.NAME));

    new RepairAction(actions.job(), inPlace(actions)).execute();

    assertThat(staged.directory()).doesNotExist();
    StagedRun.make(audit, RUN, target).prepared().dead();
    assertThat(settleDead().removed()).as("it is in the audit already").containsExactly(run);
  }

  @Test
  void aListThatCameWithACheckpointMovesNoFileButWhatARunStages() throws Exception {
    Path secret = Files.writeString(scratch.resolve("secret.parquet"), "not yours");
    Path key = Files.writeString(scratch.resolve("runs.parquet"), "nor this");
    StagedRun staged = StagedRun.make(audit, RUN, target).prepared().dead();
    writeManifest(target, RUN);
    Path list = staged.directory().resolve("append.json");
    for (String named : List.of(secret.toString(), key.toString(), "../../../runs.parquet", "..")) {
      Files.writeString(list, "{\"runs\": [\"%s\"]}".formatted(named));

      StagedRuns.Result result = settleDead(target);

      assertThat(whyLeft(result, RUN)).contains("can be neither appended nor removed");
      assertThat(secret).hasContent("not yours");
      assertThat(key).hasContent("nor this");
    }
    Files.writeString(list, "{}");
    assertThat(whyLeft(settleDead(target), RUN)).contains("exactly one file of runs");
  }

  private RepairRequest inPlace(Actions actions) throws JobException {
    return RepairRequest.inPlace(actions.of(target)).audit(Actions.location(audit));
  }

  private StagedRuns.Result settleDead(Path... targets) throws Exception {
    Set<Location> locations = new HashSet<>();
    for (Path one : targets) {
      locations.add(Actions.location(one));
    }
    return StagedRuns.settleDead(
        Actions.location(audit), locations, HadoopSettings.of(new Configuration()));
  }

  private static String whyLeft(StagedRuns.Result result, String run) {
    return result.left().stream()
        .filter(left -> left.run().equals(new RunId(run)))
        .map(StagedRuns.Left::why)
        .findFirst()
        .orElseThrow();
  }

  private static void writeManifest(Path checkpoint, String run) throws IOException {
    Files.write(
        checkpoint.resolve(Manifest.NAME),
        new Manifest(run, "1", "file:/source", "0".repeat(64), List.of(), "xxh3-128", List.of())
            .toJson());
  }
}
