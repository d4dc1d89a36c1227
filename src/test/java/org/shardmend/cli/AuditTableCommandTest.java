package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.LocalSpark;
import org.shardmend.checkpoint.Samples;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.IcebergCatalog;
import org.shardmend.testing.SharedSparkJob;

/** {@code sweep --audit-table} and {@code audit --audit-table}, as someone types them. */
@Tag("smoke")
class AuditTableCommandTest {
  private static final List<String> TABLES = List.of("tensors", "shards", "runs");

  @TempDir private Path scratch;
  private Path root;
  private Path audit;
  private IcebergCatalog catalog;

  /** A Spark application that is running has the settings that it was started with. */
  @BeforeEach
  void makeATree() throws JobException {
    SharedSparkJob.withProgress(Progress.SILENT).close();
    root = scratch.resolve("tree");
    audit = scratch.resolve("audit");
    catalog = new IcebergCatalog("lake", scratch.resolve("warehouse"));
    DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), root.resolve("a"));
    DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), root.resolve("b"));
  }

  @Test
  void aSweepAppendsTheRowsOfEachRunAndTheNextAppendsNothing() {
    CommandRun first = sweep("--audit-table", "lake.shardmend");

    assertThat(first.exit()).as(first.err()).isZero();
    List<String> ids = runIds(first.document());
    assertThat(ids).hasSize(2);
    assertThat(rows("SELECT run_id, outcome FROM %s.shardmend.runs"))
        .extracting(Row::toString)
        .containsExactlyInAnyOrderElementsOf(ids.stream().map("[%s,done]"::formatted).toList());
    requireTheRowsOfTheAudit();
    assertThat(TABLES).allSatisfy(table -> assertThat(commits(table)).isEqualTo(2));

    CommandRun second = sweep("--audit-table", "lake.shardmend");

    assertThat(second.document().path("outcome").asText()).isEqualTo("nothing-to-do");
    assertThat(TABLES).allSatisfy(table -> assertThat(commits(table)).isEqualTo(2));
    requireTheRowsOfTheAudit();
  }

  @Test
  void aSweepAppendsTheRowOfWhatItRefusedOnce() throws IOException {
    Files.delete(root.resolve("b/model-rank-2-part-0.safetensors"));

    CommandRun first = sweep("--audit-table", "lake.shardmend");
    CommandRun second = sweep("--audit-table", "lake.shardmend");

    assertThat(first.exit()).isEqualTo(4);
    assertThat(second.exit()).isEqualTo(4);
    assertThat(rows("SELECT outcome, error FROM %s.shardmend.runs ORDER BY outcome"))
        .satisfiesExactly(
            done -> assertThat(done.getString(0)).isEqualTo("done"),
            refused -> {
              assertThat(refused.getString(0)).isEqualTo("refused");
              assertThat(refused.getString(1)).contains("rank");
            });
  }

  @Test
  void aDryRunMakesNoTables() {
    CommandRun run =
        run(
            "sweep",
            root + "",
            "--dry-run",
            "--audit",
            audit + "",
            "--settle",
            "0s",
            "--audit-table",
            "lake.shardmend");

    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(catalog.warehouse()).doesNotExist();
  }

  @Test
  void anAuditsRunsAreAppendedLaterOnce() {
    List<String> ids = runIds(sweep().document());

    CommandRun first = audit("--audit-table", "lake.shardmend", "--json");
    CommandRun second = audit("--audit-table", "lake.shardmend", "--json");

    assertThat(first.exit()).as(first.err()).isZero();
    assertThat(first.document().path("outcome").asText()).isEqualTo("done");
    assertThat(first.document().path("audit_table").asText()).isEqualTo("lake.shardmend");
    assertThat(texts(first.document().path("appended"))).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(second.exit()).isZero();
    assertThat(second.document().path("outcome").asText()).isEqualTo("nothing-to-do");
    assertThat(second.document().path("appended")).isEmpty();
    requireTheRowsOfTheAudit();
    assertThat(TABLES).allSatisfy(table -> assertThat(commits(table)).isEqualTo(1));
  }

  @Test
  void severalAuditsShareTheTables() {
    sweep("--audit-table", "lake.shardmend");
    DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), scratch.resolve("other/c"));
    CommandRun other = run("repair", scratch.resolve("other/c") + "", "--in-place");
    assertThat(other.exit()).as(other.err()).isZero();

    CommandRun run =
        run("audit", scratch.resolve("other/c") + "", "--audit-table", "lake.shardmend");

    assertThat(run.exit()).as(run.err()).isZero();
    assertThat(run.out()).isEqualTo("1 runs appended to lake.shardmend\n");
    assertThat(rows("SELECT DISTINCT checkpoint FROM %s.shardmend.tensors")).hasSize(3);
  }

  @Test
  void whatNamesNoCatalogIsWrongUseAndChangesNothing() {
    SortedMap<String, String> before = DirectoryContent.of(scratch);

    CommandRun unknown = sweep("--audit-table", "nowhere.shardmend");
    CommandRun malformed = sweep("--audit-table", "lake");

    assertThat(unknown.exit()).isEqualTo(2);
    assertThat(unknown.err()).contains("spark.sql.catalog.nowhere");
    assertThat(malformed.exit()).isEqualTo(2);
    assertThat(malformed.err()).contains("lake.shardmend");
    assertThat(audit("--audit-table", "lake.shardmend").exit()).isEqualTo(2);
    assertThat(audit("--audit-table", "lake.shardmend", "--action", "DROP").exit()).isEqualTo(2);
    assertThat(DirectoryContent.of(scratch)).isEqualTo(before);
  }

  /** What the tables hold is what the audit's files hold, month included. */
  private void requireTheRowsOfTheAudit() {
    for (String table : TABLES) {
      assertThat(rows("SELECT * FROM %s.shardmend." + table))
          .as(table)
          .isNotEmpty()
          .containsExactlyInAnyOrderElementsOf(
              rows("SELECT * FROM parquet.`%s/%s`".formatted(audit, table)));
    }
  }

  private long commits(String table) {
    return rows("SELECT 1 FROM %s.shardmend." + table + ".snapshots").size();
  }

  /** In an application of its own, which the next command ends. */
  private List<Row> rows(String query) {
    return catalog.rows(LocalSpark.session(), query);
  }

  private static List<String> runIds(JsonNode document) {
    return texts(document.path("checkpoints").findValues("run_id"));
  }

  private static List<String> texts(Iterable<JsonNode> nodes) {
    List<String> texts = new ArrayList<>();
    nodes.forEach(node -> texts.add(node.asText()));
    return texts;
  }

  private CommandRun sweep(String... options) {
    return run(
        Stream.concat(
                Stream.of(
                    "sweep",
                    root + "",
                    "--in-place",
                    "--audit",
                    audit + "",
                    "--settle",
                    "0s",
                    "--json"),
                Stream.of(options))
            .toArray(String[]::new));
  }

  private CommandRun audit(String... options) {
    return run(
        Stream.concat(Stream.of("audit", audit + ""), Stream.of(options)).toArray(String[]::new));
  }

  private CommandRun run(String... words) {
    return CommandRun.of(
        Stream.concat(catalog.options().stream(), Stream.of(words)).toArray(String[]::new));
  }
}
