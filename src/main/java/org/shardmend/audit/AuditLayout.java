package org.shardmend.audit;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where things are under an audit's root. All names are relative to it, with {@code /} between.
 *
 * <pre>
 * tensors/month=2026-11/r20261130T081500Z-1a2b3c4d-00000.parquet     a file of one run
 * shards/month=2026-11/r20261130T081500Z-1a2b3c4d-00000.parquet
 * runs/month=2026-11/r20261130T081500Z-1a2b3c4d-00000.parquet
 * tensors/month=2026-11/compacted-00000001-00000.parquet             a file of many runs
 * _compacted/month=2026-11/00000001.json                             which runs and files those are
 * _staging/…                                                         what is not appended yet
 * </pre>
 *
 * <p>What begins with an underscore is hidden from Spark and its like. No name ends like a weight
 * file's.
 */
public final class AuditLayout {
  private static final String STAGING = "_staging";
  private static final String COMPACTED = "_compacted";
  private static final String COMPACTED_FILE = "compacted-";
  private static final String PARTITION = AuditTable.MONTH + "=";
  private static final Pattern RUN_FILE =
      Pattern.compile("(?<run>r[^-]*-[^-]*)-(?<index>\\d{5,9})\\.parquet");
  private static final Pattern MANIFEST = Pattern.compile("(?<generation>\\d{8})\\.json");

  private AuditLayout() {}

  /** The directory that holds those of all runs that are not appended yet. */
  public static String stagings() {
    return STAGING;
  }

  /** The directory for a run's files before they are appended; hidden from who reads the tables. */
  public static String staging(RunId run) {
    return STAGING + "/" + run;
  }

  /** The directory of a table's rows of one month, given as {@code yyyy-mm}. */
  public static String directory(AuditTable<?> table, String month) {
    return table.name() + "/" + PARTITION + month;
  }

  /**
   * A file of one run's rows.
   *
   * @param index counts the run's files of that table, from 0
   */
  public static String file(AuditTable<?> table, RunId run, int index) {
    return String.format(
        Locale.ROOT, "%s/%s-%05d.parquet", directory(table, run.month()), run, index);
  }

  /** The run that a file, given by its name without directory, holds rows of; empty for others. */
  static Optional<RunId> runOf(String fileName) {
    Matcher form = RUN_FILE.matcher(fileName);
    return form.matches() && RunId.isRunId(form.group("run"))
        ? Optional.of(new RunId(form.group("run")))
        : Optional.empty();
  }

  /** The month of a partition, given by its directory's name; empty for other directories. */
  static Optional<String> monthOf(String directoryName) {
    return directoryName.startsWith(PARTITION)
        ? Optional.of(directoryName.substring(PARTITION.length()))
        : Optional.empty();
  }

  /** Where the manifests of compactions are. */
  static String manifests() {
    return COMPACTED;
  }

  /** Where the manifests of a month's compactions are. */
  static String manifests(String month) {
    return COMPACTED + "/" + PARTITION + month;
  }

  /** The manifest of a month's compaction. */
  static String manifest(String month, int generation) {
    return String.format(Locale.ROOT, "%s/%08d.json", manifests(month), generation);
  }

  /** The generation of a manifest, given by its name without directory; empty for others. */
  static Optional<Integer> generationOf(String fileName) {
    Matcher form = MANIFEST.matcher(fileName);
    return form.matches()
        ? Optional.of(Integer.parseInt(form.group("generation")))
        : Optional.empty();
  }

  /**
   * A file of many runs' rows.
   *
   * @param index counts the files of that table and generation, from 0
   */
  static String compactedFile(AuditTable<?> table, String month, int generation, int index) {
    return String.format(
        Locale.ROOT,
        "%s/%s%08d-%05d.parquet",
        directory(table, month),
        COMPACTED_FILE,
        generation,
        index);
  }

  /** Whether a name, without its directory, is one of {@link #compactedFile}'s. */
  static boolean isCompactedFile(String fileName) {
    return fileName.startsWith(COMPACTED_FILE);
  }

  /** The lock that one compaction at a time holds. */
  static String compactionLock() {
    return COMPACTED + "/lock";
  }

  /** The directory in which a compaction works. */
  static String compactionStaging() {
    return STAGING + "/compaction";
  }
}
