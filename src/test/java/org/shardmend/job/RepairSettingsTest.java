package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.testing.SharedSparkJob;

/** Settings that only one way to repair has. */
@ExtendWith(SharedSparkJob.class)
class RepairSettingsTest {
  @TempDir private Path scratch;

  @Test
  void whatMeansNothingForAWayToRepairIsSaidNotIgnored(SparkJob job) throws Exception {
    PlanRequest plan = Actions.withDefaultRules(job).of(scratch);
    RepairRequest output =
        RepairRequest.toOutput(plan, Actions.location(scratch.resolve("output")));

    for (RepairRequest meaningless :
        List.of(
            RepairRequest.inPlace(plan).linkUnchanged(),
            RepairRequest.inPlace(plan).restart(),
            RepairRequest.inPlace(plan).verify(RepairRequest.Verify.FULL),
            RepairRequest.toOutput(plan, Actions.location(scratch.resolve("a"))).forget(),
            output.allowHardLinks())) {
      assertThatThrownBy(() -> new RepairAction(job, meaningless).execute())
          .isInstanceOfSatisfying(
              JobException.class,
              wrong -> assertThat(wrong.code()).isEqualTo("option-without-meaning"));
    }
  }
}
