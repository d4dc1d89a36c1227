package org.shardmend.job.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.audit.CatalogName;
import org.shardmend.audit.RunId;
import org.shardmend.audit.SampleRun;
import org.shardmend.job.Actions;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.testing.IcebergCatalog;
import org.shardmend.testing.SharedSparkJob;
import org.shardmend.trial.Fault;

/** The audit's rows in an Iceberg catalog: what {@code --audit-table} promises. */
@Tag("smoke")
@ExtendWith(SharedSparkJob.class)
class AuditCatalogTest {
  private static final AtomicInteger CATALOGS = new AtomicInteger();
  private static final String FIRST = "r20261130T081500Z-1a2b3c4d";
  private static final String SECOND = "r20261201T081500Z-00000001";

  @TempDir private Path scratch;
  private SparkSession spark;
  private CatalogName tables;
  private Path audit;

  /** Spark keeps a catalog that it has loaded: each test has one of its own. */
  @BeforeEach
  void setTheCatalog(SparkJob job) {
    String catalog = "lake" + CATALOGS.incrementAndGet();
    tables = CatalogName.parse(catalog + ".shardmend");
    spark = SparkSession.builder().sparkContext(job.spark().sc()).getOrCreate();
    new IcebergCatalog(catalog, scratch.resolve("warehouse")).addTo(spark);
    audit = scratch.resolve("audit");
  }

  @Test
  void aRepairPutsTheRowsOfItsAuditIntoTheTables(SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Path output = scratch.resolve("repaired");
    Actions actions = Actions.withDefaultRules(job);
    Actions.generate(source, Fault.MIXED);

    RepairResult result =
        actions.repair(
            RepairRequest.toOutput(actions.of(source), Actions.location(output))
                .auditTable(tables));

    assertThat(rows("SELECT * FROM %s.tensors"))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(
            rows("SELECT * FROM parquet.`%s/.shardmend/audit/tensors`".formatted(output)));
    assertThat(rows("SELECT run_id, outcome, month FROM %s.runs"))
        .extracting(Row::toString)
        .containsExactly(
            "[%s,done,%s]".formatted(result.runId(), new RunId(result.runId()).month()));
    assertThat(count("shards")).isPositive();
    for (String table : List.of("tensors", "shards", "runs")) {
      assertThat(commits(table)).as("one commit, so all rows of %s or none", table).isEqualTo(1);
      assertThat(rows("SELECT partition.month FROM %s." + table + ".partitions")).hasSize(1);
    }
  }

  @Test
  void aRepairInPlacePutsItsRowsThereToo(SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Actions actions = Actions.withDefaultRules(job);
    Actions.generate(source, Fault.ALIAS_ONLY);

    RepairResult result =
        actions.repair(RepairRequest.inPlace(actions.of(source)).auditTable(tables));

    assertThat(rows("SELECT DISTINCT run_id FROM %s.tensors WHERE action = 'RENAME'"))
        .extracting(row -> row.getString(0))
        .containsExactly(result.runId());
  }

  @Test
  void appendingARunTwiceChangesNothing(SparkJob job) throws Exception {
    SampleRun.done(FIRST, "/ckpt", 2, 2).appendTo(audit);
    AuditCatalog catalog = open(job);

    assertThat(catalog.appendAll(Actions.location(audit))).containsExactly(new RunId(FIRST));
    assertThat(catalog.appendAll(Actions.location(audit))).isEmpty();
    open(job).appendAll(Actions.location(audit));

    assertThat(count("tensors")).isEqualTo(16);
    assertThat(Stream.of("tensors", "shards", "runs").map(this::commits)).containsOnly(1L);
  }

  @Test
  void aRunThatIsThereInPartIsCompleted(SparkJob job) throws Exception {
    SampleRun.done(FIRST, "/ckpt", 2, 2).appendTo(audit);
    AuditCatalog catalog = open(job);
    catalog.appendAll(Actions.location(audit));
    sql("DELETE FROM %s.runs");
    sql("DELETE FROM %s.shards");

    assertThat(catalog.appendAll(Actions.location(audit))).containsExactly(new RunId(FIRST));

    assertThat(Stream.of("tensors", "shards", "runs").map(this::count))
        .containsExactly(16L, 4L, 1L);
    assertThat(commits("tensors")).isEqualTo(1);
  }

  @Test
  void runsOfSeveralMonthsAreAppendedAtOnceAndLaterOnesAdded(SparkJob job) throws Exception {
    SampleRun.done(FIRST, "/ckpt", 1, 2).appendTo(audit);
    SampleRun.refused("r20261201T091500Z-00000002", "/torn", "A part is missing.").appendTo(audit);
    AuditCatalog catalog = open(job);
    catalog.appendAll(Actions.location(audit));
    SampleRun.done(SECOND, "/other", 1, 1).appendTo(audit);

    assertThat(catalog.appendAll(Actions.location(audit))).containsExactly(new RunId(SECOND));

    assertThat(rows("SELECT month, count(*) FROM %s.tensors GROUP BY month ORDER BY month"))
        .extracting(Row::toString)
        .containsExactly("[2026-11,8]", "[2026-12,4]");
    assertThat(rows("SELECT outcome FROM %s.runs ORDER BY run_id"))
        .extracting(row -> row.getString(0))
        .containsExactly("done", "done", "refused");
  }

  @Test
  void runsThatAreAppendedAtTheSameTimeAreAllThere(SparkJob job) throws Exception {
    List<String> ids = List.of(FIRST, SECOND, "r20261201T081500Z-00000003");
    for (String id : ids) {
      SampleRun.done(id, "/ckpt", 2, 2).appendTo(audit);
    }
    open(job);
    ExecutorService threads = Executors.newFixedThreadPool(ids.size());
    try {
      List<Future<?>> appends =
          ids.stream()
              .<Future<?>>map(
                  id ->
                      threads.submit(
                          () -> open(job).append(Actions.location(audit), Set.of(new RunId(id)))))
              .toList();
      for (Future<?> append : appends) {
        append.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(count("tensors")).isEqualTo(48);
    assertThat(count("runs")).isEqualTo(3);
  }

  @Test
  void aTableOfAnEarlierVersionGetsTheColumnsThatItLacks(SparkJob job) throws Exception {
    sql("CREATE NAMESPACE %s");
    sql(
        "CREATE TABLE %s.runs (run_id STRING, checkpoint STRING, month STRING)"
            + " PARTITIONED BY (month)");
    sql("INSERT INTO %s.runs VALUES ('r20250101T000000Z-00000000', '/old', '2025-01')");
    SampleRun.done(FIRST, "/ckpt", 1, 1).appendTo(audit);

    open(job).appendAll(Actions.location(audit));

    assertThat(rows("SELECT run_id, checkpoint, outcome, findings[0].code FROM %s.runs"))
        .extracting(Row::toString)
        .containsExactlyInAnyOrder(
            "[r20250101T000000Z-00000000,/old,null,null]",
            "[%s,/ckpt,done,stale-index]".formatted(FIRST));
  }

  @Test
  void aTableOfALaterVersionKeepsTheColumnsThatThisOneDoesNotKnow(SparkJob job) throws Exception {
    AuditCatalog catalog = open(job);
    sql("ALTER TABLE %s.runs ADD COLUMN reviewer STRING");
    SampleRun.done(FIRST, "/ckpt", 1, 1).appendTo(audit);

    catalog.appendAll(Actions.location(audit));

    assertThat(rows("SELECT run_id, reviewer FROM %s.runs"))
        .extracting(Row::toString)
        .containsExactly("[%s,null]".formatted(FIRST));
  }

  @Test
  void aRefusedRunHasItsRowWhereAnAuditIsNamed(SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Actions actions = Actions.withDefaultRules(job);
    Actions.generate(source, Fault.ALIAS_ONLY);
    Files.write(
        source.resolve("model-rank-0-part-0.safetensors"),
        new byte[] {1},
        StandardOpenOption.APPEND);
    RepairRequest request =
        RepairRequest.inPlace(actions.of(source)).audit(Actions.location(audit)).auditTable(tables);

    assertThatThrownBy(() -> actions.repair(request)).isInstanceOf(JobException.class);

    assertThat(rows("SELECT outcome, error FROM %s.runs"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.getString(0)).isEqualTo("refused");
              assertThat(row.getString(1)).contains("model-rank-0-part-0.safetensors");
            });
  }

  @Test
  void aCatalogThatSparkDoesNotKnowIsWrongUseAndNothingIsDone(SparkJob job) throws Exception {
    Path source = scratch.resolve("source");
    Path output = scratch.resolve("repaired");
    Actions actions = Actions.withDefaultRules(job);
    Actions.generate(source, Fault.ALIAS_ONLY);

    assertThatThrownBy(
            () ->
                actions.repair(
                    RepairRequest.toOutput(actions.of(source), Actions.location(output))
                        .auditTable(CatalogName.parse("nowhere.shardmend"))))
        .isInstanceOfSatisfying(
            JobException.class, e -> assertThat(e.kind()).isEqualTo(JobException.Kind.USAGE))
        .hasMessageContaining("spark.sql.catalog.nowhere");
    assertThat(output).doesNotExist();
  }

  @Test
  void aCatalogThatCannotBeReachedIsToldBeforeAnythingIsDone(SparkJob job) throws Exception {
    spark
        .conf()
        .set(
            "spark.sql.catalog." + tables.catalog() + ".warehouse",
            Files.createFile(scratch.resolve("a-file")).toString());

    assertThatThrownBy(() -> open(job))
        .isInstanceOfSatisfying(
            JobException.class, e -> assertThat(e.kind()).isEqualTo(JobException.Kind.FAILED))
        .hasMessageContaining(tables.toString())
        .hasMessageContaining("Nothing was done");
  }

  private AuditCatalog open(SparkJob job) throws JobException {
    AuditCatalog catalog = new AuditCatalog(job, tables);
    catalog.create();
    return catalog;
  }

  private long count(String table) {
    return rows("SELECT 1 FROM %s." + table).size();
  }

  private long commits(String table) {
    return rows("SELECT 1 FROM %s." + table + ".snapshots").size();
  }

  private List<Row> rows(String query) {
    return spark.sql(query.replace("%s", tables.toString())).collectAsList();
  }

  private void sql(String statement) {
    spark.sql(statement.replace("%s", tables.toString()));
  }
}
