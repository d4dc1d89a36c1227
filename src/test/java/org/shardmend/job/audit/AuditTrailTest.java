package org.shardmend.job.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.audit.RunRow;
import org.shardmend.plan.ActionCounts;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;

class AuditTrailTest {
  private static final RunId RUN = new RunId("r20261130T081500Z-1a2b3c4d");
  private static final HadoopSettings HADOOP = HadoopSettings.of(new Configuration(false));

  @TempDir private Path scratch;

  /** The row of a run is written once before the result is visible, and again after it. */
  @Test
  void rowsThatAreCompleteStayAppendableWhenTheyCannotBeWrittenAgain() throws Exception {
    Location root = Location.ofFile(scratch.resolve("audit").toString());
    Location target = Location.ofFile(scratch.resolve("target").toString());
    RunRow row = row();
    Path inTheWay =
        scratch.resolve("audit/_staging").resolve(RUN.value()).resolve("runs.parquet.unfinished");
    try (AuditTrail trail = AuditTrail.open(root, RUN, target, HADOOP)) {
      trail.prepare(row);
      Files.createDirectories(inTheWay.resolve("full"));

      assertThatThrownBy(() -> trail.append(row)).isInstanceOf(IOException.class);
    }

    assertThat(AuditTrail.recover(root, RUN, target, HADOOP)).isTrue();
    assertThat(scratch.resolve("audit/runs/month=2026-11")).isNotEmptyDirectory();
    assertThat(scratch.resolve("audit/_staging")).doesNotExist();
  }

  private static RunRow row() {
    return new RunRow(
        RUN,
        "file:/c",
        "file:/out",
        Instant.EPOCH,
        Instant.EPOCH,
        RunOutcome.DONE,
        "",
        "1",
        List.of(),
        ActionCounts.of(0, List.of()),
        0,
        0,
        "anna",
        "local-1",
        "",
        List.of());
  }
}
