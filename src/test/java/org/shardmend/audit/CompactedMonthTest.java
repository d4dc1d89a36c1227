package org.shardmend.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The manifest of a compaction, which may lie in an audit that came with a checkpoint. */
class CompactedMonthTest {
  private static CompactedMonth parse(String file) throws IOException {
    String json =
        """
        {"format": "audit-compaction/1", "runs": ["r20260101T000000Z-00000000"],
         "files": {"runs": ["%s"]}}
        """
            .formatted(file);
    return CompactedMonth.parse(
        json.getBytes(StandardCharsets.UTF_8), "2026-01", 1, "00000001.json");
  }

  @Test
  void itNamesFilesOfItsOwnMonthAndTable() throws Exception {
    String file = AuditLayout.compactedFile(AuditTable.RUNS, "2026-01", 1, 0);
    assertThat(parse(file).filesOf(AuditTable.RUNS)).containsExactly(file);
  }

  @Test
  void anyOtherFileIsRefused() {
    for (String hostile :
        List.of(
            "../../../elsewhere/rows.parquet",
            "runs/month=2026-01/../../../compacted-1.parquet",
            "/etc/compacted-1.parquet",
            "tensors/month=2026-01/compacted-00000001-00000.parquet",
            "runs/month=2026-01/r20260101T000000Z-00000000-00000.parquet")) {
      assertThatThrownBy(() -> parse(hostile))
          .as(hostile)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("which no compaction writes");
    }
  }
}
