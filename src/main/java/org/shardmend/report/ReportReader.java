package org.shardmend.report;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.when;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.shardmend.audit.AuditTables;
import org.shardmend.audit.RunId;
import org.shardmend.plan.Action;

/** Reads what a report needs from an audit. */
public final class ReportReader {
  /** Names of changed tensors that a page shows: more would make browsers slow. */
  public static final int MAX_CHANGES = 2000;

  private final AuditTables audit;
  private final RunId runId;

  private ReportReader(AuditTables audit, RunId runId) {
    this.audit = audit;
    this.runId = runId;
  }

  /**
   * Reads one run.
   *
   * @throws NoSuchElementException if the audit has no such run
   */
  public static ReportData read(AuditTables audit, RunId run) {
    if (!audit.runIds().contains(run)) {
      throw new NoSuchElementException(
          audit.runIds().isEmpty()
              ? "The audit has no runs."
              : "The audit has no run %s. Its last one is %s."
                  .formatted(run, audit.runIds().last()));
    }
    return new ReportReader(audit.only(run), run).read();
  }

  private ReportData read() {
    Row run = audit.runs().first();
    Dataset<Row> byName = changesByName().cache();
    try {
      return new ReportData(
          run(run), shards(), changes(byName), byName.count(), proofs(), findings(run));
    } finally {
      byName.unpersist();
    }
  }

  private ReportData.Run run(Row row) {
    Map<String, Long> counts = new HashMap<>(row.getJavaMap(row.fieldIndex("counts")));
    return new ReportData.Run(
        runId.value(),
        text(row, "checkpoint"),
        text(row, "output"),
        instant(row, "started"),
        instant(row, "finished"),
        text(row, "outcome"),
        text(row, "fingerprint"),
        text(row, "version"),
        row.getList(row.fieldIndex("rules")),
        counts,
        number(row, "bytes_read"),
        number(row, "bytes_written"),
        text(row, "user"),
        text(row, "spark_app_id"),
        text(row, "error"));
  }

  private static List<ReportData.Finding> findings(Row run) {
    return run.<Row>getList(run.fieldIndex("findings")).stream()
        .map(
            finding ->
                new ReportData.Finding(
                    text(finding, "code"),
                    text(finding, "severity"),
                    text(finding, "shard"),
                    text(finding, "message")))
        .toList();
  }

  private List<ReportData.Shard> shards() {
    return audit.shards().orderBy("shard").collectAsList().stream()
        .map(
            row ->
                new ReportData.Shard(
                    text(row, "shard"),
                    rank(row),
                    text(row, "strategy"),
                    number(row, "source_bytes"),
                    number(row, "target_bytes"),
                    number(row, "bytes_read"),
                    number(row, "bytes_written"),
                    number(row, "tensors"),
                    number(row, "renamed") + number(row, "dropped"),
                    row.getDouble(row.fieldIndex("seconds")),
                    text(row, "executor")))
        .toList();
  }

  private Dataset<Row> changesByName() {
    return audit
        .tensors()
        .where(col("action").notEqual(Action.KEEP.name()))
        .groupBy("action", "tensor", "target_tensor", "rule", "reason")
        .agg(
            count(lit(1)).as("tensors"),
            sum("bytes").as("bytes"),
            collect_set(struct(rankOrNone("pp_rank"), rankOrNone("tp_rank"))).as("ranks"));
  }

  private static Column rankOrNone(String column) {
    return coalesce(col(column), lit(-1)).as(column);
  }

  private static List<ReportData.Change> changes(Dataset<Row> byName) {
    return byName.orderBy("action", "tensor").limit(MAX_CHANGES).collectAsList().stream()
        .map(
            row ->
                new ReportData.Change(
                    text(row, "tensor"),
                    text(row, "target_tensor"),
                    text(row, "action"),
                    text(row, "rule"),
                    text(row, "reason"),
                    number(row, "tensors"),
                    number(row, "bytes"),
                    row.<Row>getList(row.fieldIndex("ranks")).stream()
                        .map(ReportReader::rank)
                        .sorted()
                        .toList()))
        .sorted(
            Comparator.comparing(ReportData.Change::tensor, NaturalOrder.INSTANCE)
                .thenComparing(ReportData.Change::action))
        .toList();
  }

  private List<ReportData.Proof> proofs() {
    Column equal = col("source_digest").equalTo(col("target_digest"));
    return audit
        .tensors()
        .groupBy("action", "verified")
        .agg(
            count(lit(1)).as("tensors"),
            sum("bytes").as("bytes"),
            count(when(equal, 1)).as("equal"),
            count(when(equal.equalTo(false), 1)).as("different"))
        .orderBy("action", "verified")
        .collectAsList()
        .stream()
        .map(
            row ->
                new ReportData.Proof(
                    text(row, "action"),
                    text(row, "verified"),
                    number(row, "tensors"),
                    number(row, "bytes"),
                    number(row, "equal"),
                    number(row, "different")))
        .toList();
  }

  private static String text(Row row, String column) {
    int index = row.fieldIndex(column);
    return row.isNullAt(index) ? "" : row.getString(index);
  }

  private static long number(Row row, String column) {
    return row.getLong(row.fieldIndex(column));
  }

  /** Spark gives one of two classes, by its setting {@code spark.sql.datetime.java8API.enabled}. */
  private static Instant instant(Row row, String column) {
    Object value = row.get(row.fieldIndex(column));
    return value instanceof java.sql.Timestamp timestamp ? timestamp.toInstant() : (Instant) value;
  }

  private static ReportData.Rank rank(Row row) {
    return new ReportData.Rank(rank(row, "pp_rank"), rank(row, "tp_rank"));
  }

  private static int rank(Row row, String column) {
    int index = row.fieldIndex(column);
    return row.isNullAt(index) ? -1 : row.getInt(index);
  }
}
