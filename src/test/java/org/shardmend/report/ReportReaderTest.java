package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.AuditTables;
import org.shardmend.audit.LocalSpark;
import org.shardmend.audit.RunId;
import org.shardmend.audit.SampleRun;
import org.shardmend.report.ReportData.Change;
import org.shardmend.report.ReportData.Proof;
import org.shardmend.report.ReportData.Rank;
import org.shardmend.storage.LocalStore;

@Tag("smoke")
class ReportReaderTest {
  private static final String DONE = "r20261130T081500Z-1a2b3c4d";
  private static final String REFUSED = "r20261130T091500Z-00000001";

  @TempDir private static Path root;

  @BeforeAll
  static void makeAnAudit() throws IOException {
    SampleRun.done(DONE, "/models/kimi", 2, 2).appendTo(root);
    SampleRun.refused(REFUSED, "/models/torn", "A part is missing.").appendTo(root);
  }

  private static ReportData read(String run) throws IOException {
    return ReportReader.read(
        AuditTables.open(LocalSpark.session(), new LocalStore(), root.toString()), new RunId(run));
  }

  @Test
  void readsARunWithItsShardsChangesProofsAndFindings() throws IOException {
    ReportData data = read(DONE);

    assertThat(data.run().count("RENAME")).isEqualTo(4);
    assertThat(data.run().time()).hasMillis(7376);
    assertThat(data.shards()).hasSize(4).allMatch(shard -> shard.changes() == 2);
    assertThat(data.changedNames()).isEqualTo(2);
    assertThat(data.changes())
        .extracting(Change::tensor, Change::target, Change::tensors)
        .containsExactly(
            tuple("layers.0.attn_mha.kv_b_proj.weight", "layers.0.kv_b_proj.weight", 4L),
            tuple("layers.1.attn_mha.kv_b_proj.weight", "", 4L));
    assertThat(data.changes().get(0).ranks())
        .containsExactly(new Rank(0, 0), new Rank(0, 1), new Rank(1, 0), new Rank(1, 1));
    assertThat(data.proofs())
        .containsExactly(
            new Proof("DROP", "full", 4, 4 * SampleRun.TENSOR_BYTES, 0, 0),
            new Proof("KEEP", "full", 8, 8 * SampleRun.TENSOR_BYTES, 8, 0),
            new Proof("RENAME", "full", 4, 4 * SampleRun.TENSOR_BYTES, 4, 0));
    assertThat(data.findings()).extracting(ReportData.Finding::code).containsExactly("stale-index");
  }

  @Test
  void readsARefusedRun() throws IOException {
    ReportData data = read(REFUSED);

    assertThat(data.run().outcome()).isEqualTo("refused");
    assertThat(data.run().error()).isEqualTo("A part is missing.");
    assertThat(data.shards()).isEqualTo(List.of());
  }

  @Test
  void aRunThatIsNotThereIsAnErrorThatNamesTheLastOne() {
    assertThatThrownBy(() -> read("r20200101T000000Z-00000000"))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining("r20200101T000000Z-00000000")
        .hasMessageContaining(REFUSED);
  }
}
