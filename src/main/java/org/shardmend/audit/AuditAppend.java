package org.shardmend.audit;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.shardmend.storage.Store;

/**
 * Appends a run to an audit: moves its finished files in, the one of {@link AuditTable#RUNS} last.
 * Until that one is there, nothing of the run counts; once it is there, everything does.
 *
 * <p>Safe to do again. After a crash in the middle the same call goes on where it ended; a run that
 * is in the audit already changes nothing. Runs append side by side without a lock, since each has
 * file names of its own.
 */
public final class AuditAppend {
  private final Store store;
  private final String root;

  /**
   * An audit to append to.
   *
   * @param root the audit's directory in {@code store}; made when missing
   */
  public AuditAppend(Store store, String root) {
    this.store = store;
    this.root = root;
  }

  /**
   * Appends a run.
   *
   * @param staged the paths of the run's finished files in the same store, per table, always in the
   *     same order; exactly one for {@link AuditTable#RUNS}. They are gone afterwards.
   * @return false when the audit has the run already
   * @throws NoSuchFileException if a file is neither staged nor appended
   * @throws IOException if storage fails; the run does not count then, and can be appended again
   */
  public boolean append(RunId run, Map<AuditTable<?>, List<String>> staged) throws IOException {
    if (staged.getOrDefault(AuditTable.RUNS, List.of()).size() != 1) {
      throw new IllegalArgumentException(
          "Run %s must have exactly one file of runs, but has: %s"
              .formatted(run, staged.get(AuditTable.RUNS)));
    }
    if (isAppended(run)) {
      discard(staged);
      return false;
    }
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      appendTable(run, table, staged.getOrDefault(table, List.of()));
    }
    return true;
  }

  /** Whether the audit has the run. */
  public boolean isAppended(RunId run) throws IOException {
    return AuditFiles.counts(store, root, run);
  }

  private void discard(Map<AuditTable<?>, List<String>> staged) throws IOException {
    for (List<String> files : staged.values()) {
      for (String file : files) {
        if (store.stat(file).isPresent()) {
          store.delete(file);
        }
      }
    }
  }

  private void appendTable(RunId run, AuditTable<?> table, List<String> staged) throws IOException {
    String directory = root + "/" + AuditLayout.directory(table, run.month());
    store.makeDirectories(directory);
    Set<String> leftovers = new LinkedHashSet<>(AuditFiles.leftBy(store, root, table, run));
    for (int index = 0; index < staged.size(); index++) {
      String name = AuditLayout.file(table, run, index);
      leftovers.remove(name);
      FileMoves.moveIn(store, staged.get(index), root + "/" + name);
    }
    for (String leftover : leftovers) {
      store.delete(root + "/" + leftover);
    }
    FileMoves.makeDurable(store, List.of(directory, root + "/" + table.name(), root));
  }
}
