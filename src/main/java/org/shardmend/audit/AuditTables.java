package org.shardmend.audit;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.shardmend.plan.Action;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;

/**
 * The tables of an audit as Spark reads them. What counts is decided once, when the audit is
 * opened: runs that are appended later are not seen. Files that a compaction removes later make a
 * query fail, never give other rows; then the audit is to be opened again.
 *
 * <p>All columns have the explicit types of {@link AuditTable#schema()}; none is guessed from files
 * or directory names. Rows of a run whose row in {@code runs} is missing are not there.
 */
public final class AuditTables {
  private final SparkSession spark;
  private final Location root;
  private final AuditFiles files;
  private final SortedSet<RunId> runs;

  private AuditTables(SparkSession spark, Location root, AuditFiles files, SortedSet<RunId> runs) {
    this.spark = spark;
    this.root = root;
    this.files = files;
    this.runs = runs;
  }

  /**
   * Opens an audit.
   *
   * @param store where it is
   * @param root the audit's directory there; one that does not exist is an audit without runs
   * @throws IOException if the audit can't be listed, or a compaction's manifest can't be read
   */
  public static AuditTables open(SparkSession spark, Store store, String root) throws IOException {
    AuditFiles files = AuditFiles.list(store, root);
    return new AuditTables(spark, store.locate(root), files, files.runs());
  }

  /** The runs, oldest first. */
  public SortedSet<RunId> runIds() {
    return new TreeSet<>(runs);
  }

  /** The same audit with one run's rows alone; none, if it has no such run. */
  public AuditTables only(RunId run) {
    return only(Set.of(run));
  }

  /** The same audit with the rows of these runs alone, as far as it has them. */
  public AuditTables only(Set<RunId> wanted) {
    SortedSet<RunId> kept = new TreeSet<>(wanted);
    kept.retainAll(runs);
    return new AuditTables(spark, root, files, kept);
  }

  /** What these files hold of these runs, all of which the files count. */
  static AuditTables of(
      SparkSession spark, Location root, AuditFiles files, SortedSet<RunId> runs) {
    return new AuditTables(spark, root, files, runs);
  }

  /** The rows of one table. */
  public Dataset<Row> read(AuditTable<?> table) {
    List<String> wanted = files.of(table, runs);
    if (wanted.isEmpty()) {
      return spark.createDataFrame(List.<Row>of(), table.schema());
    }
    Dataset<Row> rows =
        spark
            .read()
            .schema(table.schema())
            .option("basePath", hadoopPath(root.child(table.name())))
            .option("ignoreMissingFiles", false)
            .option("ignoreCorruptFiles", false)
            .parquet(
                wanted.stream().map(file -> literalPath(root.child(file))).toArray(String[]::new))
            .select(columns(table));
    return runs.equals(files.runs()) ? rows : rows.where(col("run_id").isin(runValues()));
  }

  private static Column[] columns(AuditTable<?> table) {
    return table.columnNames().stream().map(name -> col(name)).toArray(Column[]::new);
  }

  private Object[] runValues() {
    return runs.stream().map(RunId::value).toArray();
  }

  /** The rows of {@link AuditTable#TENSORS}. */
  public Dataset<Row> tensors() {
    return read(AuditTable.TENSORS);
  }

  /** The rows of {@link AuditTable#TENSORS} with one of these actions. */
  public Dataset<Row> tensors(Set<Action> actions) {
    return tensors().where(col("action").isin(actions.stream().map(Action::name).toArray()));
  }

  /** The rows of {@link AuditTable#SHARDS}. */
  public Dataset<Row> shards() {
    return read(AuditTable.SHARDS);
  }

  /** The rows of {@link AuditTable#RUNS}. */
  public Dataset<Row> runs() {
    return read(AuditTable.RUNS);
  }

  /**
   * Makes the tables visible to SQL as temporary views {@code tensors}, {@code shards}, {@code
   * runs}.
   */
  public void createViews() {
    AuditTable.inAppendOrder().forEach(table -> read(table).createOrReplaceTempView(table.name()));
  }

  /** A path as Spark reads it, which takes some characters for patterns. */
  static String literalPath(Location location) {
    return hadoopPath(location).replaceAll("[{}\\[\\]*?\\\\]", "\\\\$0");
  }

  /** A path as Spark writes to it, and as Hadoop takes it. */
  static String hadoopPath(Location location) {
    return new Path(
            location.scheme(),
            location.authority().isEmpty() ? null : location.authority(),
            location.path())
        .toString();
  }
}
