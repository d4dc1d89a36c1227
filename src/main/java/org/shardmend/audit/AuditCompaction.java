package org.shardmend.audit;

import static org.apache.spark.sql.functions.col;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.TargetLock;

/**
 * Makes few files of many: for each month, the rows of all its runs in one file per table (several,
 * when they are very large). No row is lost or changed, and {@link AuditTables} never sees one
 * twice:
 *
 * <ol>
 *   <li>the new files are written and counted, and moved beside the old ones; they don't count yet;
 *   <li>a manifest that names the new files and the runs in them appears in one step, and from then
 *       on these runs are read from these files alone;
 *   <li>the old files are removed.
 * </ol>
 *
 * <p>A crash before the second step leaves files that don't count, after it files that no longer
 * do; the next compaction removes both. Appends go on meanwhile: a run that the manifest does not
 * name stays in its own files. A query that was planned before and still wants an old file fails,
 * and is to be run again.
 */
public final class AuditCompaction {
  /** Old files that become one new file, in bytes. */
  private static final long FILE_BYTES = 256L << 20;

  private static final String HOLDER = "compaction";

  private final SparkSession spark;
  private final Store store;
  private final String root;

  /**
   * What became of one month.
   *
   * @param month as {@code yyyy-mm}
   * @param runs how many runs it has
   * @param filesBefore files that counted before, in all tables
   * @param filesAfter files that count now, in all tables
   */
  public record Result(String month, int runs, int filesBefore, int filesAfter) {}

  /**
   * An audit to compact.
   *
   * @param root the audit's directory in {@code store}
   */
  public AuditCompaction(SparkSession spark, Store store, String root) {
    // A session of its own, so that the files' timestamps are of the type that all others are.
    this.spark = spark.newSession();
    this.spark.conf().set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS");
    this.store = store;
    this.root = root;
  }

  /**
   * Compacts every month that has runs in files of their own and more than one file in some table.
   *
   * @return the months that were compacted
   * @throws org.shardmend.storage.lock.LockedException if another compaction of this audit is
   *     running
   * @throws IOException if storage fails; all rows are there nevertheless
   */
  public List<Result> compact() throws IOException {
    if (AuditFiles.list(store, root).runs().isEmpty()) {
      return List.of();
    }
    List<Result> results = new ArrayList<>();
    try (TargetLock lock =
        TargetLock.acquire(store, root + "/" + AuditLayout.compactionLock(), HOLDER)) {
      removeReplaced();
      AuditFiles files = AuditFiles.list(store, root);
      SortedSet<String> months = new TreeSet<>();
      files.runs().forEach(run -> months.add(run.month()));
      for (String month : months) {
        if (isWorthIt(files, month)) {
          results.add(compact(files, month, lock));
        }
      }
    }
    return results;
  }

  private static boolean isWorthIt(AuditFiles files, String month) {
    return !files.notCompacted(month).isEmpty()
        && AuditTable.inAppendOrder().stream()
            .anyMatch(table -> files.of(table, runsOf(files, month)).size() > 1);
  }

  private static SortedSet<RunId> runsOf(AuditFiles files, String month) {
    SortedSet<RunId> runs = new TreeSet<>(files.runs());
    runs.removeIf(run -> !run.month().equals(month));
    return runs;
  }

  private Result compact(AuditFiles files, String month, TargetLock lock) throws IOException {
    SortedSet<RunId> runs = runsOf(files, month);
    int generation = files.compacted(month).map(last -> last.generation() + 1).orElse(1);
    SortedMap<String, List<String>> compacted = new TreeMap<>();
    int filesBefore = 0;
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      filesBefore += files.of(table, runs).size();
      List<String> written = write(files, runs, table);
      compacted.put(table.name(), moveIn(written, table, month, generation));
    }
    lock.requireHeld();
    writeManifest(new CompactedMonth(month, generation, runs, compacted));
    removeReplaced();
    int filesAfter = compacted.values().stream().mapToInt(List::size).sum();
    return new Result(month, runs.size(), filesBefore, filesAfter);
  }

  /** Writes all rows of the runs into new files in the staging directory, and counts them. */
  private List<String> write(AuditFiles files, SortedSet<RunId> runs, AuditTable<?> table)
      throws IOException {
    String directory = root + "/" + AuditLayout.compactionStaging() + "/" + table.name();
    store.deleteTree(directory);
    Dataset<Row> rows = AuditTables.of(spark, store.locate(root), files, runs).read(table);
    inFiles(rows.drop(AuditTable.MONTH), fileCount(files.of(table, runs)))
        .write()
        .option("compression", "gzip")
        .parquet(AuditTables.hadoopPath(store.locate(directory)));
    List<String> written = new ArrayList<>();
    for (FileStatus file : store.list(directory)) {
      if (file.name().startsWith("part-")) {
        written.add(file.path());
      }
    }
    requireAllRows(rows.count(), table, directory);
    return written;
  }

  /** Rows of one run lie together, so that a query for it skips the others. */
  private static Dataset<Row> inFiles(Dataset<Row> rows, int count) {
    Dataset<Row> divided =
        count == 1 ? rows.coalesce(1) : rows.repartitionByRange(count, col("run_id"));
    return divided.sortWithinPartitions("run_id");
  }

  private void requireAllRows(long expected, AuditTable<?> table, String directory)
      throws IOException {
    long found =
        spark
            .read()
            .schema(table.schema())
            .parquet(AuditTables.literalPath(store.locate(directory)))
            .count();
    if (found != expected) {
      throw new IOException(
          "Compacting %s in %s wrote %d rows of %d. The audit is as it was; report this."
              .formatted(table.name(), store.locate(root), found, expected));
    }
  }

  private int fileCount(List<String> files) throws IOException {
    long bytes = 0;
    for (String file : files) {
      bytes += store.stat(root + "/" + file).map(FileStatus::bytes).orElse(0L);
    }
    return (int) (1 + bytes / FILE_BYTES);
  }

  private List<String> moveIn(
      List<String> written, AuditTable<?> table, String month, int generation) throws IOException {
    List<String> names = new ArrayList<>();
    for (String file : written) {
      String name = AuditLayout.compactedFile(table, month, generation, names.size());
      if (store.traits().syncs()) {
        store.sync(file);
      }
      FileMoves.moveIn(store, file, root + "/" + name);
      names.add(name);
    }
    FileMoves.makeDurable(store, List.of(root + "/" + AuditLayout.directory(table, month)));
    return names;
  }

  /** The one step that switches readers over. */
  private void writeManifest(CompactedMonth month) throws IOException {
    String directory = root + "/" + AuditLayout.manifests(month.month());
    store.makeDirectories(directory);
    String staged = root + "/" + AuditLayout.compactionStaging() + "/manifest";
    if (store.stat(staged).isPresent()) {
      store.delete(staged);
    }
    store.createExclusive(staged, month.toJson());
    FileMoves.moveIn(
        store, staged, root + "/" + AuditLayout.manifest(month.month(), month.generation()));
    FileMoves.makeDurable(store, List.of(directory, root + "/" + AuditLayout.manifests(), root));
  }

  /** Removes what the manifests say is replaced, and what an interrupted compaction left behind. */
  private void removeReplaced() throws IOException {
    AuditFiles files = AuditFiles.list(store, root);
    for (String file : files.replaced()) {
      store.delete(root + "/" + file);
    }
    store.deleteTree(root + "/" + AuditLayout.compactionStaging());
  }
}
