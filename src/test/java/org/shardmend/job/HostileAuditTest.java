package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.AuditLayout;
import org.shardmend.audit.RunId;
import org.shardmend.job.audit.AuditPlaces;
import org.shardmend.job.audit.AuditTrail;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.protocol.JournalRefusedException;

/** An audit that came with a checkpoint, with a run in it that is to be appended. */
class HostileAuditTest {
  private static final RunId RUN = new RunId("r20260101T000000Z-00000000");

  @TempDir private Path directory;
  private Path audit;
  private Path staging;
  private Path victim;

  @BeforeEach
  void makeAnAudit() throws IOException {
    audit = directory.resolve("model/.shardmend/audit");
    staging = Files.createDirectories(audit.resolve(AuditLayout.staging(RUN)));
    victim = Files.writeString(directory.resolve("victim.parquet"), "precious");
    Files.writeString(staging.resolve("runs.parquet"), "rows");
  }

  private boolean recover(String tensors, List<String> runs) throws Exception {
    Files.write(
        staging.resolve("append.json"),
        new ObjectMapper().writeValueAsBytes(Map.of("tensors", List.of(tensors), "runs", runs)));
    return AuditTrail.recover(
        Actions.location(audit),
        RUN,
        Actions.location(directory.resolve("model")),
        HadoopSettings.of(new Configuration()));
  }

  @Test
  void noFileFromOutsideOfTheStagingIsMovedIntoTheAuditOrRemoved() throws Exception {
    Files.createSymbolicLink(staging.resolve("link.parquet"), victim);
    for (String hostile :
        List.of(
            victim.toString(),
            staging + "/../../../../../victim.parquet",
            staging + "/..",
            "victim.parquet",
            staging + "/link.parquet",
            staging.toString())) {
      assertThatThrownBy(
              () -> recover(hostile, List.of(staging.resolve("runs.parquet").toString())))
          .as(hostile)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("append.json");
    }
    assertThat(victim).hasContent("precious");
    assertThat(staging.resolve("runs.parquet")).exists();
  }

  @Test
  void aListWithoutARunIsRefused() {
    assertThatThrownBy(() -> recover(staging.resolve("tensors-0-1.parquet").toString(), List.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("exactly one file of runs");
  }

  @Test
  void whatARunHasStagedIsAppended() throws Exception {
    Path tensors = Files.writeString(staging.resolve("tensors-0-1.parquet"), "rows");
    assertThat(recover(tensors.toString(), List.of(staging.resolve("runs.parquet").toString())))
        .isTrue();
    assertThat(audit.resolve("tensors/month=2026-01/" + RUN + "-00000.parquet")).exists();
    assertThat(staging).doesNotExist();
  }

  /** Compacting writes and removes; querying reads. Neither goes where a link below leads. */
  @Test
  void anAuditInACheckpointIsNotOpenedWhereALinkIsBelow() throws Exception {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.createSymbolicLink(audit.resolve("_compacted"), outside);
    assertThatThrownBy(
            () -> AuditPlaces.root(new LocalStore(), Actions.location(directory.resolve("model"))))
        .isInstanceOf(JournalRefusedException.class)
        .hasMessageContaining("_compacted");
  }
}
