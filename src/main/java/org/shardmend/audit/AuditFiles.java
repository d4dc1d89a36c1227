package org.shardmend.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;

/**
 * Which files of an audit count, as of one moment. Decided by names alone:
 *
 * <ul>
 *   <li>the rows of a run that a compaction's manifest names are in that compaction's files;
 *   <li>the rows of another run are in its own files, and count when its file of {@link
 *       AuditTable#RUNS} is there, which is appended last;
 *   <li>nothing else counts.
 * </ul>
 *
 * <p>The order of looking makes a concurrent append or compaction harmless: {@code runs} before the
 * other tables, so that a run that is seen is seen whole; manifests last, so that files that a
 * compaction has removed meanwhile are known to be replaced.
 */
final class AuditFiles {
  private record RunFile(RunId run, String path) {}

  /** What lies in one table's directories. */
  private record TableFiles(List<RunFile> ofRuns, List<String> ofCompactions) {}

  private final Map<String, TableFiles> tables;
  private final List<CompactedMonth> compacted;
  private final Set<RunId> compactedRuns = new HashSet<>();
  private final SortedSet<RunId> runs = new TreeSet<>();

  private AuditFiles(Map<String, TableFiles> tables, List<CompactedMonth> compacted) {
    this.tables = tables;
    this.compacted = compacted;
    compacted.forEach(month -> compactedRuns.addAll(month.runs()));
    runs.addAll(compactedRuns);
    tables.get(AuditTable.RUNS.name()).ofRuns().forEach(file -> runs.add(file.run()));
  }

  /**
   * Looks at an audit.
   *
   * @param root the audit's directory; one that does not exist holds nothing
   */
  static AuditFiles list(Store store, String root) throws IOException {
    List<AuditTable<?>> runsFirst = new ArrayList<>(AuditTable.inAppendOrder());
    Collections.reverse(runsFirst);
    Map<String, TableFiles> tables = new HashMap<>();
    for (AuditTable<?> table : runsFirst) {
      tables.put(table.name(), tableFiles(store, root, table));
    }
    return new AuditFiles(tables, manifests(store, root));
  }

  /**
   * Whether a run counts, by looking at its own places alone: what an audit holds besides costs
   * nothing.
   */
  static boolean counts(Store store, String root, RunId run) throws IOException {
    if (hasOwnFile(store, root, AuditTable.RUNS, run, 0)) {
      return true;
    }
    String month = run.month();
    return latestManifest(store, root, month, root + "/" + AuditLayout.manifests(month))
        .filter(compacted -> compacted.runs().contains(run))
        .isPresent();
  }

  /**
   * What an earlier attempt to append a run has left in a table, relative to the root. A directory
   * is listed only then: it holds the files of all runs of a month.
   */
  static List<String> leftBy(Store store, String root, AuditTable<?> table, RunId run)
      throws IOException {
    // Files come one after the other. The first may be missing while it is replaced, not two.
    if (!hasOwnFile(store, root, table, run, 0) && !hasOwnFile(store, root, table, run, 1)) {
      return List.of();
    }
    return listOrNothing(store, root + "/" + AuditLayout.directory(table, run.month())).stream()
        .filter(file -> AuditLayout.runOf(file.name()).equals(Optional.of(run)))
        .map(file -> relative(root, file))
        .toList();
  }

  private static boolean hasOwnFile(
      Store store, String root, AuditTable<?> table, RunId run, int index) throws IOException {
    return store.stat(root + "/" + AuditLayout.file(table, run, index)).isPresent();
  }

  private static TableFiles tableFiles(Store store, String root, AuditTable<?> table)
      throws IOException {
    TableFiles found = new TableFiles(new ArrayList<>(), new ArrayList<>());
    for (FileStatus month : listOrNothing(store, root + "/" + table.name())) {
      if (AuditLayout.monthOf(month.name()).isPresent()) {
        for (FileStatus file : listOrNothing(store, month.path())) {
          String path = relative(root, file);
          AuditLayout.runOf(file.name())
              .ifPresent(run -> found.ofRuns().add(new RunFile(run, path)));
          if (AuditLayout.isCompactedFile(file.name())) {
            found.ofCompactions().add(path);
          }
        }
      }
    }
    return found;
  }

  private static List<CompactedMonth> manifests(Store store, String root) throws IOException {
    List<CompactedMonth> latest = new ArrayList<>();
    for (FileStatus directory : listOrNothing(store, root + "/" + AuditLayout.manifests())) {
      Optional<String> month = AuditLayout.monthOf(directory.name());
      if (month.isPresent()) {
        latestManifest(store, root, month.get(), directory.path()).ifPresent(latest::add);
      }
    }
    return latest;
  }

  private static Optional<CompactedMonth> latestManifest(
      Store store, String root, String month, String directory) throws IOException {
    Optional<Integer> generation =
        listOrNothing(store, directory).stream()
            .flatMap(file -> AuditLayout.generationOf(file.name()).stream())
            .max(Integer::compare);
    if (generation.isEmpty()) {
      return Optional.empty();
    }
    String path = root + "/" + AuditLayout.manifest(month, generation.get());
    return Optional.of(
        CompactedMonth.parse(
            readAll(store, path), month, generation.get(), store.locate(path).toString()));
  }

  private static byte[] readAll(Store store, String path) throws IOException {
    try (RangeReader reader = store.openForRead(path)) {
      ByteBuffer content = ByteBuffer.allocate(Math.toIntExact(reader.size()));
      reader.readFully(0, content);
      return content.array();
    }
  }

  private static List<FileStatus> listOrNothing(Store store, String directory) throws IOException {
    try {
      return store.list(directory);
    } catch (NoSuchFileException absent) {
      return List.of();
    }
  }

  private static String relative(String root, FileStatus file) {
    return file.path().substring(root.length() + 1);
  }

  /** The runs that count, oldest first. */
  SortedSet<RunId> runs() {
    return runs;
  }

  /** The files of a table that count, relative to the root. */
  List<String> of(AuditTable<?> table) {
    return of(table, runs);
  }

  /** Those of them that may hold rows of these runs; a compacted file may hold rows of others. */
  List<String> of(AuditTable<?> table, Set<RunId> wanted) {
    List<String> files = new ArrayList<>();
    for (CompactedMonth month : compacted) {
      if (!Collections.disjoint(month.runs(), wanted)) {
        files.addAll(month.filesOf(table));
      }
    }
    for (RunFile file : tables.get(table.name()).ofRuns()) {
      if (wanted.contains(file.run())
          && runs.contains(file.run())
          && !compactedRuns.contains(file.run())) {
        files.add(file.path());
      }
    }
    return files;
  }

  /** What the last compaction made of a month. */
  Optional<CompactedMonth> compacted(String month) {
    return compacted.stream().filter(each -> each.month().equals(month)).findFirst();
  }

  /** The runs of a month that no compaction has taken in. */
  SortedSet<RunId> notCompacted(String month) {
    SortedSet<RunId> rest = new TreeSet<>(runs);
    rest.removeIf(run -> !run.month().equals(month) || compactedRuns.contains(run));
    return rest;
  }

  /**
   * Files that a compaction has replaced, or has left behind when it was interrupted, relative to
   * the root. Only who holds the compaction's lock may remove them.
   */
  List<String> replaced() {
    List<String> files = new ArrayList<>();
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      Set<String> wanted = new HashSet<>();
      compacted.forEach(month -> wanted.addAll(month.filesOf(table)));
      for (RunFile file : tables.get(table.name()).ofRuns()) {
        if (compactedRuns.contains(file.run())) {
          files.add(file.path());
        }
      }
      for (String file : tables.get(table.name()).ofCompactions()) {
        if (!wanted.contains(file)) {
          files.add(file);
        }
      }
    }
    return files;
  }
}
