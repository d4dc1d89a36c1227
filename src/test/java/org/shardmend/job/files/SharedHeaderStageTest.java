package org.shardmend.job.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.LayoutActions;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.testing.CountedFileSystem;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/** The files of a dump that several ranks read: planning opens each of them once. */
@ExtendWith(SharedSparkJob.class)
class SharedHeaderStageTest {
  private static final int RANKS = 8;

  @TempDir private Path directory;

  @Test
  void aPlanOpensEveryWeightFileOnceHoweverManyRanksReadIt(SparkJob job) throws Exception {
    TrialSettings settings =
        TrialSettings.builder()
            .layout(Layout.PRESHARDED)
            .tp(RANKS)
            .layers(4)
            .bytes(60_000)
            .fault(Fault.ALIAS_ONLY)
            .build();
    new GenerateAction(settings, LayoutActions.location(directory), "", Progress.SILENT).execute();
    Location counted = Locations.parse("counted://local" + directory, new Configuration());
    PlanRequest request =
        new PlanRequest(
            counted,
            DiscoveryOptions.defaults(),
            RuleSources.defaultsAnd(List.of()),
            UnknownDtypes.REFUSE);

    PlannedCheckpoint planned = new PlanAction(job, request).execute();

    assertThat(planned.checkpoint().units()).hasSize(RANKS);
    assertThat(planned.plan().nothingToDo()).isFalse();
    List<Path> weights = weightFiles();
    assertThat(weights).anyMatch(file -> file.toString().endsWith("-common.safetensor"));
    assertThat(weights).allSatisfy(file -> assertThat(CountedFileSystem.opened(file)).isEqualTo(1));
  }

  private List<Path> weightFiles() throws Exception {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".safetensor")).toList();
    }
  }
}
