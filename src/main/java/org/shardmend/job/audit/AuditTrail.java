package org.shardmend.job.audit;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.shardmend.audit.AuditAppend;
import org.shardmend.audit.AuditFileWriter;
import org.shardmend.audit.AuditLayout;
import org.shardmend.audit.AuditTable;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunRow;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.Verification;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;
import org.shardmend.storage.lock.RunNote;
import org.shardmend.storage.protocol.SmallFiles;

/**
 * The audit of one run, on the driver. Tasks write rows of tensors into a staging directory of the
 * run; here the winners' files are remembered, and the shards' and the run's rows added. {@link
 * #prepare} completes the staging before the repair becomes visible, so that a run that is stopped
 * between that and {@link #append} is accounted for by the next one.
 */
public final class AuditTrail implements AutoCloseable {
  private static final String LIST = "append.json";
  private static final int MAX_LIST_BYTES = 64 << 20;
  private static final int ATTEMPTS = 20;
  private static final String UNFINISHED = ".unfinished";
  private static final Pattern STAGED_FILE =
      Pattern.compile("(tensors|shards|runs)[-0-9]*\\.parquet");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Location root;
  private final RunId run;
  private final HadoopSettings hadoop;
  private final Store store;
  private final Location staging;
  private final Location target;
  private final List<String> tensorFiles = new ArrayList<>();
  private final List<ShardRow> shards = new ArrayList<>();

  private AuditTrail(
      Location root, RunId run, Location target, HadoopSettings hadoop, Store store) {
    this.root = root;
    this.run = run;
    this.target = target;
    this.hadoop = hadoop;
    this.store = store;
    this.staging = root.child(AuditLayout.staging(run));
  }

  /**
   * Opens an audit for a run.
   *
   * @param root the audit's directory; made when it is missing
   * @param target what the run is to make
   */
  public static AuditTrail open(Location root, RunId run, Location target, HadoopSettings hadoop)
      throws IOException {
    AuditTrail trail = at(root, run, target, hadoop);
    trail.begin();
    return trail;
  }

  /**
   * Appends a run that has no rows of tensors or shards. One that is prepared may have become
   * visible, or be finished by the next run, which then appends it whole: it is left as it is.
   */
  public static void appendAlone(Location root, RunRow row, Location target, HadoopSettings hadoop)
      throws IOException {
    try (AuditTrail trail = open(root, row.runId(), target, hadoop)) {
      if (!isPrepared(trail.store, trail.staging)) {
        trail.prepare(row);
        trail.append(row);
      }
    }
  }

  /** As {@link #open}, but makes nothing before {@link #begin}. */
  public static AuditTrail at(Location root, RunId run, Location target, HadoopSettings hadoop)
      throws IOException {
    return new AuditTrail(root, run, target, hadoop, Stores.open(root, hadoop));
  }

  /** Makes the run's staging directory, with a note of whose it is. */
  public void begin() throws IOException {
    makeStaging();
    RunNote.leave(store, staging.path(), run.value(), target);
  }

  private void makeStaging() throws IOException {
    for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
      try {
        store.makeDirectories(staging.path());
        return;
      } catch (NoSuchFileException e) {
        // Another run of this audit has just removed the directory above, which was empty.
      }
    }
    store.makeDirectories(staging.path());
  }

  /** Makes sure that the audit can be written, and leaves nothing behind. */
  public void requireWritable() throws IOException {
    begin();
    discard();
  }

  /** What tasks need to write rows. */
  public AuditContext context(
      String checkpoint, Layout layout, String digestAlgorithm, Verification verified) {
    return new AuditContext(
        new CheckpointAccess(staging, hadoop), run, checkpoint, layout, digestAlgorithm, verified);
  }

  /** Takes the file of the attempt that succeeded, and the rows of its shards. */
  public void add(String tensorFile, List<ShardRow> shardRows) {
    tensorFiles.add(tensorFile);
    shards.addAll(shardRows);
  }

  /** Completes the staging: what is left then is to append it. */
  public void prepare(RunRow row) throws IOException {
    store.deleteTree(staging.child(LIST).path());
    String shardFile = write(AuditTable.SHARDS, shards);
    String runFile = write(AuditTable.RUNS, List.of(row));
    Map<String, List<String>> files = new LinkedHashMap<>();
    files.put(AuditTable.TENSORS.name(), tensorFiles.stream().sorted().toList());
    files.put(AuditTable.SHARDS.name(), List.of(shardFile));
    files.put(AuditTable.RUNS.name(), List.of(runFile));
    SmallFiles.create(store, staging.child(LIST).path(), JSON.writeValueAsBytes(files));
  }

  /** Whether all of a run's rows are staged. */
  static boolean isPrepared(Store store, Location staging) throws IOException {
    return store.stat(staging.child(LIST).path()).isPresent();
  }

  /** Appends the run to the audit; from here on its rows count. */
  public void append(RunRow row) throws IOException {
    write(AuditTable.RUNS, List.of(row));
    append();
  }

  /**
   * Writes a table's rows, over an earlier file of them, which stays until the new one is whole.
   */
  private <R> String write(AuditTable<R> table, List<R> rows) throws IOException {
    String path = staging.child(table.name() + ".parquet").path();
    boolean replaces = store.traits().atomicRename() && store.stat(path).isPresent();
    String written = replaces ? path + UNFINISHED : path;
    if (store.stat(written).isPresent()) {
      store.delete(written);
    }
    try (AuditFileWriter<R> writer = AuditFileWriter.open(table, store.create(written))) {
      for (R row : rows) {
        writer.write(row);
      }
      writer.complete();
    }
    if (replaces) {
      store.replace(written, path);
    }
    return path;
  }

  private void append() throws IOException {
    Map<String, List<String>> listed =
        JSON.readValue(
            SmallFiles.read(store, staging.child(LIST).path(), MAX_LIST_BYTES),
            new TypeReference<Map<String, List<String>>>() {});
    Map<AuditTable<?>, List<String>> staged = new HashMap<>();
    for (AuditTable<?> table : AuditTable.inAppendOrder()) {
      List<String> files = new ArrayList<>();
      for (String file : listed.getOrDefault(table.name(), List.of())) {
        files.add(stagedFile(file));
      }
      staged.put(table, files);
    }
    if (staged.get(AuditTable.RUNS).size() != 1) {
      throw notOurs("does not list exactly one file of runs");
    }
    new AuditAppend(store, root.path()).append(run, staged);
    discard();
  }

  /**
   * A file that the list names. An audit below a checkpoint came with it, perhaps, so nothing but
   * what a run stages is moved, and from nowhere but here.
   */
  private String stagedFile(String listed) throws IOException {
    String name = listed.substring(listed.lastIndexOf('/') + 1);
    if (!STAGED_FILE.matcher(name).matches()) {
      throw notOurs("lists '%s', which no run stages".formatted(listed));
    }
    return staging.child(name).path();
  }

  private IOException notOurs(String why) {
    return new IOException(
        OneLine.of(
            "%s %s. No run of ours wrote it: look where it comes from, and remove its directory."
                .formatted(staging.child(LIST), why)));
  }

  /** Removes what was staged and not appended. */
  private void discard() throws IOException {
    removeStaging(store, staging);
  }

  /** Removes what a run has staged, and the directory of all such when it was the last. */
  static void removeStaging(Store store, Location staging) throws IOException {
    store.deleteTree(staging.path());
    Location all = staging.parent();
    try {
      if (isEmpty(store, all)) {
        store.delete(all.path());
      }
    } catch (IOException e) {
      // Unless another run of this audit has begun, or removed it.
      if (isEmpty(store, all)) {
        throw e;
      }
    }
  }

  private static boolean isEmpty(Store store, Location directory) throws IOException {
    return store.stat(directory.path()).isPresent() && store.list(directory.path()).isEmpty();
  }

  /**
   * Appends a run that was stopped after it had prepared its rows and become visible. Looks at that
   * run's place alone.
   *
   * @param target what that run has made
   * @return whether there was something to append
   */
  public static boolean recover(
      Location root, RunId published, Location target, HadoopSettings hadoop) throws IOException {
    try (AuditTrail trail = at(root, published, target, hadoop)) {
      boolean prepared = isPrepared(trail.store, trail.staging);
      if (prepared) {
        trail.append();
      }
      return prepared;
    }
  }

  @Override
  public void close() throws IOException {
    store.close();
  }
}
