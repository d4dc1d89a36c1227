package org.shardmend.audit;

import static org.shardmend.audit.Column.optional;
import static org.shardmend.audit.Column.optionalText;
import static org.shardmend.audit.Column.required;
import static org.shardmend.audit.ScalarType.DOUBLE;
import static org.shardmend.audit.ScalarType.INTEGER;
import static org.shardmend.audit.ScalarType.LONG;
import static org.shardmend.audit.ScalarType.TEXT;
import static org.shardmend.audit.ScalarType.TIMESTAMP;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.shardmend.checkpoint.Finding;

/**
 * The three tables of an audit: their names and their columns, each with its type, its unit and
 * where its value comes from. Columns are only ever added, at the end.
 *
 * @param <R> the rows
 */
public final class AuditTable<R> {
  /** The column, made of a file's directory, that all tables are partitioned by. */
  public static final String MONTH = "month";

  /** One row per tensor of the source. */
  public static final AuditTable<TensorRow> TENSORS =
      new AuditTable<>(
          "tensors",
          List.of(
              required("run_id", TEXT, "the run", row -> row.runId().value()),
              required("checkpoint", TEXT, "where the source is", TensorRow::checkpoint),
              required(
                  "shard",
                  TEXT,
                  "weight file of the source, relative to it",
                  row -> row.source().shard()),
              optionalText(
                  "target_shard",
                  "weight file of the output, relative to it; NULL when dropped or refused",
                  row -> row.target().shard()),
              required("layout", TEXT, "the source's layout", row -> row.layout().id()),
              optional(
                  "pp_rank",
                  INTEGER,
                  "pipeline stage; NULL when the layout has none",
                  row -> boxed(row.unit().ppRank())),
              optional(
                  "tp_rank",
                  INTEGER,
                  "tensor-parallel rank; NULL when the layout has none",
                  row -> boxed(row.unit().tpRank())),
              optional(
                  "part",
                  INTEGER,
                  "part number of the shard; NULL when the layout has none",
                  row -> part(row.part())),
              required("tensor", TEXT, "name in the source", row -> row.source().tensor()),
              optional(
                  "target_tensor",
                  TEXT,
                  "name in the output; NULL when dropped or refused",
                  row ->
                      row.target().exists()
                          ? Optional.of(row.target().tensor())
                          : Optional.empty()),
              required("action", TEXT, "KEEP, RENAME, DROP or REFUSE", row -> row.action().name()),
              optionalText(
                  "rule",
                  "the rule that decided, as family#index; NULL when none did",
                  TensorRow::rule),
              optionalText("reason", "why, as a sentence", TensorRow::reason),
              required("dtype", TEXT, "element type, as in the header", TensorRow::dtype),
              required(
                  "shape",
                  new ListType<>(LONG),
                  "dimensions in elements, outermost first; empty for a scalar",
                  row -> Arrays.stream(row.shape().toArray()).boxed().toList()),
              required(
                  "bytes", LONG, "size of the tensor's data, bytes", row -> row.source().bytes()),
              required(
                  "source_begin",
                  LONG,
                  "first byte, relative to the source shard's data section",
                  row -> row.source().begin()),
              required(
                  "source_end",
                  LONG,
                  "one past the last byte, relative to the source shard's data section",
                  row -> row.source().end()),
              optional(
                  "target_begin",
                  LONG,
                  "first byte, relative to the target shard's data section; NULL when dropped or"
                      + " refused",
                  row -> placed(row.target()).map(TensorPlace::begin)),
              optional(
                  "target_end",
                  LONG,
                  "one past the last byte, relative to the target shard's data section; NULL when"
                      + " dropped or refused",
                  row -> placed(row.target()).map(TensorPlace::end)),
              optionalText(
                  "digest_algorithm",
                  "xxh3-128 or sha256; NULL when no bytes were read",
                  row -> row.digests().algorithm()),
              optionalText(
                  "source_digest",
                  "digest of the source's bytes, hex; NULL when they were not read",
                  row -> row.digests().source()),
              optionalText(
                  "target_digest",
                  "digest of the bytes read back from the output, hex; NULL when they were not",
                  row -> row.digests().target()),
              required(
                  "verified",
                  TEXT,
                  "what was read back and checked: none, header or full",
                  row -> row.verified().token()),
              optionalText(
                  "proof",
                  "what shows that the changed name is right: bytes (compared with those of the"
                      + " other name), only candidate, or family (a rule of one says so); NULL when"
                      + " the name was not changed",
                  TensorRow::proof)));

  /** One row per weight file of the source. */
  public static final AuditTable<ShardRow> SHARDS =
      new AuditTable<>(
          "shards",
          List.of(
              required("run_id", TEXT, "the run", row -> row.runId().value()),
              required("shard", TEXT, "weight file of the source, relative to it", ShardRow::shard),
              optionalText(
                  "target_shard",
                  "weight file of the output, relative to it",
                  ShardRow::targetShard),
              required(
                  "strategy",
                  TEXT,
                  "PATCH, CLONE, COPY, LINK or NONE",
                  row -> row.strategy().name()),
              required(
                  "source_bytes", LONG, "size in the source, bytes", row -> row.bytes().source()),
              required(
                  "target_bytes", LONG, "size in the output, bytes", row -> row.bytes().target()),
              required(
                  "header_bytes",
                  LONG,
                  "size of the header in the output with its 8 length bytes, bytes",
                  row -> row.bytes().header()),
              required(
                  "bytes_read",
                  LONG,
                  "read of the source to write it, bytes: the header, and the data where it was"
                      + " copied",
                  row -> row.bytes().read()),
              required(
                  "bytes_written", LONG, "written for it, bytes", row -> row.bytes().written()),
              required("tensors", LONG, "tensors in the source", row -> row.counts().tensors()),
              required("renamed", LONG, "tensors with another name", row -> row.counts().renamed()),
              required("dropped", LONG, "tensors left out", row -> row.counts().dropped()),
              optionalText(
                  "digest",
                  "the shard's digest, hex; NULL when its data was not read",
                  ShardRow::digest),
              required("seconds", DOUBLE, "time spent on it, seconds", row -> seconds(row.time())),
              required("executor", TEXT, "the Spark executor that did it", ShardRow::executor),
              optional(
                  "pp_rank",
                  INTEGER,
                  "pipeline stage; NULL when the layout has none or several share the shard",
                  row -> boxed(row.unit().ppRank())),
              optional(
                  "tp_rank",
                  INTEGER,
                  "tensor-parallel rank; NULL when the layout has none or several share the shard",
                  row -> boxed(row.unit().tpRank())),
              optional(
                  "part",
                  INTEGER,
                  "part number; NULL when the layout has none",
                  row -> part(row.part()))));

  /** One row per run, which makes the run's other rows count. */
  public static final AuditTable<RunRow> RUNS =
      new AuditTable<>(
          "runs",
          List.of(
              required(
                  "run_id",
                  TEXT,
                  "r, UTC time, -, 8 hex digits; sorts by time",
                  row -> row.runId().value()),
              required("checkpoint", TEXT, "where the source is", RunRow::checkpoint),
              optionalText(
                  "output",
                  "where the repaired checkpoint is; NULL when there is none",
                  RunRow::output),
              required("started", TIMESTAMP, "when it began, UTC", RunRow::started),
              required("finished", TIMESTAMP, "when it ended, UTC", RunRow::finished),
              required(
                  "outcome",
                  TEXT,
                  "done, nothing-to-do, found, refused, failed, or rolled-back: `fingerprint` is"
                      + " then that of the plan that was undone",
                  row -> row.outcome().token()),
              optionalText(
                  "fingerprint",
                  "the plan's SHA-256, hex; NULL when there was no plan yet. What a sweep refused"
                      + " or failed on has 'listing-' and the SHA-256 of the files' names, sizes"
                      + " and times, the rules and the version here",
                  RunRow::fingerprint),
              required("version", TEXT, "version of this tool", RunRow::version),
              required("rules", new ListType<>(TEXT), "active rule families", RunRow::rules),
              required(
                  "counts",
                  new MapType<>(TEXT, LONG),
                  "tensors of the source by action",
                  row -> row.counts().byName()),
              required(
                  "bytes_read",
                  LONG,
                  "read of checkpoints, bytes: headers, side files and data, to plan, compare,"
                      + " copy, check and read back",
                  RunRow::bytesRead),
              required(
                  "bytes_written",
                  LONG,
                  "written of checkpoints, bytes: shards and side files, or what the journal keeps"
                      + " of them and the patches",
                  RunRow::bytesWritten),
              required("user", TEXT, "who ran it", RunRow::user),
              required("spark_app_id", TEXT, "id of the Spark application", RunRow::sparkAppId),
              optionalText(
                  "error", "what was refused or what failed; NULL when nothing was", RunRow::error),
              required(
                  "findings",
                  new ListType<>(
                      new StructuredType<Finding>(
                          List.of(
                              required("code", TEXT, "a fixed word", Finding::code),
                              required(
                                  "severity",
                                  TEXT,
                                  "INFO, WARNING or ERROR",
                                  finding -> finding.severity().name()),
                              required("shard", TEXT, "the shard, or empty", Finding::shard),
                              required("message", TEXT, "a sentence", Finding::message)))),
                  "what was noticed along the way",
                  RunRow::findings)));

  private final String name;
  private final StructuredType<R> type;

  private AuditTable(String name, List<Column<R, ?>> columns) {
    this.name = name;
    this.type = new StructuredType<>(columns);
  }

  /** All tables, in the order in which a run's rows are appended: {@link #RUNS} last. */
  public static List<AuditTable<?>> inAppendOrder() {
    return List.of(TENSORS, SHARDS, RUNS);
  }

  /** The name, which is also the directory's. */
  public String name() {
    return name;
  }

  /** The columns as Spark reads them, {@link #MONTH} last; each with a comment. */
  public StructType schema() {
    return type.spark()
        .add(
            DataTypes.createStructField(MONTH, DataTypes.StringType, true)
                .withComment("month in which the run began, UTC, yyyy-mm"));
  }

  /** The columns' names, {@link #MONTH} last. */
  List<String> columnNames() {
    return Stream.concat(type.columns().stream().map(Column::name), Stream.of(MONTH)).toList();
  }

  /** The columns that a file holds: all but {@link #MONTH}. */
  MessageType fileSchema() {
    return type.parquetFile(name);
  }

  void write(RecordConsumer out, R row) {
    type.writeToFile(out, row);
  }

  @Override
  public String toString() {
    return name;
  }

  private static Optional<Integer> boxed(OptionalInt rank) {
    return rank.isPresent() ? Optional.of(rank.getAsInt()) : Optional.empty();
  }

  private static Optional<Integer> part(int part) {
    return part < 0 ? Optional.empty() : Optional.of(part);
  }

  private static Optional<TensorPlace> placed(TensorPlace target) {
    return target.exists() ? Optional.of(target) : Optional.empty();
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
