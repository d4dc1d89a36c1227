package org.shardmend.audit;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_set;
import static org.apache.spark.sql.functions.lit;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The tables of many audits in one of Spark's catalogs, such as Apache Iceberg's, with the columns
 * of {@link AuditTable} and its order of appending: {@link AuditTable#RUNS} last.
 *
 * <p>Each table is appended to in one commit of the catalog's. A table that has rows of a run has
 * all of them, so that a run that was appended in part is completed, and one that is there already
 * changes nothing. Different runs may be appended at the same time; the same run may not.
 *
 * <p>What goes wrong in the catalog is thrown as Spark and the catalog throw it, which includes
 * checked exceptions that Scala does not declare.
 */
public final class CatalogTables {
  private static final String RUN_ID = "run_id";

  /** Iceberg's: rows of one month need no shuffle that brings each month's together. */
  private static final String DISTRIBUTION = "distribution-mode";

  private final SparkSession spark;
  private final CatalogName name;

  /** The tables at {@code name}, which need not exist yet. */
  public CatalogTables(SparkSession spark, CatalogName name) {
    this.spark = spark;
    this.name = name;
  }

  /**
   * Makes the namespace and the tables that are missing, partitioned by {@link AuditTable#MONTH},
   * and adds the columns that tables of an earlier version lack.
   */
  public void create() {
    if (!spark.catalog().databaseExists(name.sql())) {
      spark.sql("CREATE NAMESPACE IF NOT EXISTS " + name.sql());
    }
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      spark.sql(
          "CREATE TABLE IF NOT EXISTS %s (%s) PARTITIONED BY (%s)"
              .formatted(name.sql(table), columns(table).toDDL(), AuditTable.MONTH));
      addMissingColumns(table);
    }
  }

  private void addMissingColumns(AuditTable<?> table) {
    List<StructField> missing = missingColumns(table);
    if (missing.isEmpty()) {
      return;
    }
    String columns = new StructType(missing.toArray(StructField[]::new)).toDDL();
    try {
      spark.sql("ALTER TABLE %s ADD COLUMNS (%s)".formatted(name.sql(table), columns));
    } catch (RuntimeException e) {
      // Another run may have added them first.
      if (!missingColumns(table).isEmpty()) {
        throw e;
      }
    }
  }

  private List<StructField> missingColumns(AuditTable<?> table) {
    List<String> present = List.of(current(table).columns());
    List<StructField> missing = new ArrayList<>();
    for (StructField column : columns(table).fields()) {
      if (!present.contains(column.name())) {
        missing.add(column);
      }
    }
    return missing;
  }

  /** As files are read: Spark takes no column of theirs for one without NULL. */
  private static StructType columns(AuditTable<?> table) {
    return table.schema().asNullable();
  }

  /** The table as it is now, not as this process saw it before. */
  private Dataset<Row> current(AuditTable<?> table) {
    spark.catalog().refreshTable(name.sql(table));
    return spark.table(name.sql(table));
  }

  /**
   * Appends the runs of an audit that the tables lack.
   *
   * @return those runs
   * @throws NoSuchTableException if someone has removed a table since {@link #create}
   */
  public SortedSet<RunId> append(AuditTables audit) throws NoSuchTableException {
    SortedSet<RunId> missing = lacking(AuditTable.RUNS, audit.runIds());
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      Dataset<Row> rows = audit.only(lacking(table, missing)).read(table);
      if (!rows.isEmpty()) {
        withColumnsOf(current(table).schema(), rows)
            .writeTo(name.sql(table))
            .option(DISTRIBUTION, "none")
            .append();
      }
    }
    return missing;
  }

  /** Those of the runs that a table has no row of. */
  private SortedSet<RunId> lacking(AuditTable<?> table, SortedSet<RunId> runs) {
    SortedSet<RunId> lacking = new TreeSet<>(runs);
    if (!lacking.isEmpty()) {
      current(table)
          .where(
              col(AuditTable.MONTH)
                  .isin(runs.stream().map(RunId::month).distinct().toArray())
                  .and(col(RUN_ID).isin(runs.stream().map(RunId::value).toArray())))
          .agg(collect_set(col(RUN_ID)))
          .first()
          .<String>getList(0)
          .forEach(run -> lacking.remove(new RunId(run)));
    }
    return lacking;
  }

  /** A table of a later version has columns of which this one knows nothing: they are NULL. */
  private static Dataset<Row> withColumnsOf(StructType target, Dataset<Row> rows) {
    List<String> known = List.of(rows.columns());
    Dataset<Row> all = rows;
    for (StructField column : target.fields()) {
      if (!known.contains(column.name())) {
        all = all.withColumn(column.name(), lit(null).cast(column.dataType()));
      }
    }
    return all;
  }
}
