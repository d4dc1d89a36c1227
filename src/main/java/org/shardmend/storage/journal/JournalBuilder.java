package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.SourceChangedException;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.CheckpointStamps;
import org.shardmend.storage.bytes.FileImage;
import org.shardmend.storage.journal.JournalCheck.Condition;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.JsonDocument;

/** A journal that is being prepared, by the driver; sentences J1 to J4 of {@code journal.md}. */
public final class JournalBuilder {
  /** Told of each step just before it is taken. */
  @FunctionalInterface
  interface Steps {
    /**
     * Lets the step be taken.
     *
     * @throws IOException when it must not be, because the lock is no longer this run's
     */
    void reached(String step) throws IOException;
  }

  private final Store store;
  private final JournalPaths paths;
  private final String runId;
  private final Steps steps;
  private final CheckpointStamps stamps;
  private final JournalKey key;
  private final List<ComparedFile> compared = new ArrayList<>();
  private final List<JournalEntry> entries = new ArrayList<>();
  private final AtomicLong bytesRead = new AtomicLong();

  JournalBuilder(
      Store store,
      JournalPaths paths,
      String runId,
      Steps steps,
      CheckpointStamps stamps,
      JournalKey key) {
    this.stamps = stamps;
    this.key = key;
    this.store = store;
    this.paths = paths;
    this.runId = runId;
    this.steps = steps;
  }

  /**
   * Takes the entry of the attempt that succeeded. One per shard.
   *
   * @throws SourceChangedException when the shard is no longer what was planned on
   * @throws JournalRefusedException when its name is none that READY may hold
   * @throws IOException when the file system has no hard links and one is needed, or fails
   */
  public void adopt(StagedEntry staged) throws IOException {
    JournalEntry entry = staged.entry();
    steps.reached("journal: adopt " + entry.name());
    if (!JournalIndexReader.isPlain(entry.name())) {
      throw JournalRefusedException.unnameable(store.locate(paths.checkpoint()), entry.name());
    }
    String path = paths.staged(entry.number(), staged.attempt());
    FileStamp shard = stamps.unchanged(entry.name());
    switch (entry.kind()) {
      case PATCH -> {
        store.rename(path, paths.pair(entry.number()));
        entries.add(with(entry, entry.before().at(shard), entry.after().at(shard)));
      }
      case REPLACE -> {
        store.rename(path, paths.replacement(entry.number()));
        entries.add(
            with(
                entry,
                entry.before().at(keep(entry.number(), entry.name(), shard)),
                entry.after().at(store.stamp(paths.replacement(entry.number())))));
      }
      case ADD ->
          throw new IllegalArgumentException(
              "Tasks stage shards; %s is added by the driver.".formatted(entry.name()));
    }
  }

  private static JournalEntry with(JournalEntry entry, FileImage before, FileImage after) {
    return new JournalEntry(
        entry.number(), entry.kind(), entry.name(), before, after, entry.stored());
  }

  /** Gives the original its second name; that alone changes its stamp. */
  private FileStamp keep(int number, String name, FileStamp before) throws IOException {
    store.link(paths.file(name), paths.original(number));
    FileStamp kept = store.stamp(paths.original(number));
    if (!kept.hasContentOf(before)) {
      throw new SourceChangedException(
          store.locate(paths.file(name)), "was written to, so it is no longer what was read");
    }
    return kept;
  }

  /**
   * Notes a shard that is only read, and whose bytes decided what is dropped. After all shards were
   * adopted.
   *
   * @param name relative to the checkpoint
   * @throws SourceChangedException when it is no longer what was planned on
   */
  public void compared(String name) throws IOException {
    String file = EntryPreparation.of(store, paths.checkpoint()).resolvedName(name);
    boolean exchanged =
        entries.stream()
            .anyMatch(
                entry -> entry.kind() == JournalEntry.Kind.REPLACE && entry.name().equals(file));
    if (!exchanged) {
      compared.add(ComparedFile.of(file, stamps.unchanged(name)));
    }
  }

  /**
   * Puts a side file that is to have this content: it replaces one, or is added. After all shards
   * were adopted.
   *
   * @param name relative to the checkpoint; its directory exists
   */
  public void put(String name, byte[] content) throws IOException {
    if (!JournalIndexReader.isSideFile(name)) {
      throw new IllegalArgumentException("No repair in place may write " + name);
    }
    steps.reached("journal: put " + name);
    int number = 1 + entries.stream().mapToInt(JournalEntry::number).max().orElse(-1);
    String replacement = paths.replacement(number);
    try (ShardWriter writer = store.create(replacement)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
    if (store.stat(paths.file(name)).isEmpty()) {
      entries.add(
          new JournalEntry(
              number, JournalEntry.Kind.ADD, name, FileImage.ABSENT, whole(replacement), ""));
      return;
    }
    FileStamp original = stamps.unchanged(name);
    JournalEntry entry = replacementOf(number, name, replacement);
    FileStamp kept = keep(number, entry.name(), original);
    entries.add(with(entry, entry.before().at(kept), entry.after()));
  }

  private JournalEntry replacementOf(int number, String name, String replacement)
      throws IOException {
    EntryPreparation stage = EntryPreparation.of(store, paths.checkpoint());
    FileStatus original = stage.resolve(name);
    store.copyAttributes(original.path(), replacement);
    store.sync(replacement);
    bytesRead.addAndGet(original.bytes());
    return new JournalEntry(
        number,
        JournalEntry.Kind.REPLACE,
        stage.relative(original.path()),
        FileImage.read(store, original.path(), original.bytes(), ""),
        whole(replacement),
        "");
  }

  private FileImage whole(String path) throws IOException {
    FileStatus file =
        store
            .stat(path)
            .orElseThrow(() -> JournalException.damaged(store.locate(path), "is missing"));
    return FileImage.read(store, path, file.bytes(), "");
  }

  /**
   * Makes all durable, looks at every file once more, and writes READY (J3, J4). From here on only
   * {@link Journal#finish} and {@link Journal#rollback} go on.
   *
   * @param threads how many files are looked at at once
   * @return how many bytes were read of the checkpoint's files since the journal was begun
   * @throws ForeignChangeException when a file has changed since it was staged; nothing was written
   * @throws JournalException when two entries concern one file
   */
  public long ready(int threads) throws IOException {
    entries.sort(Comparator.comparingInt(JournalEntry::number));
    requireDistinct();
    steps.reached("journal: remove what was not adopted");
    for (FileStatus leftover : store.list(paths.work())) {
      DurableFile.deleteIfPresent(store, leftover.path());
    }
    steps.reached("journal: sync directories");
    for (String directory :
        List.of(
            paths.entries(),
            paths.replacements(),
            paths.originals(),
            paths.spares(),
            paths.journal(),
            paths.ours(),
            paths.checkpoint())) {
      store.syncDirectory(directory);
    }
    requireUnchanged(new EntryPool(threads));
    steps.reached("journal: write READY");
    byte[] ready = JsonDocument.write(index());
    if (ready.length > JournalIndexReader.MAX_BYTES) {
      throw JournalException.damaged(
          store.locate(paths.ready()),
          "would have %d bytes, and at most %d are read again"
              .formatted(ready.length, JournalIndexReader.MAX_BYTES));
    }
    Optional<String> seal = key.seal(ready);
    if (seal.isPresent()) {
      DurableFile.write(store, paths.seal(), seal.get().getBytes(StandardCharsets.US_ASCII));
    }
    DurableFile.write(store, paths.ready(), ready);
    steps.reached("journal: ready");
    return bytesRead.get();
  }

  /** G4. */
  private void requireDistinct() throws IOException {
    Map<String, String> names = new HashMap<>();
    for (JournalEntry entry : entries) {
      if (entry.kind() == JournalEntry.Kind.ADD) {
        continue;
      }
      String other = names.put(entry.before().fileKey(), entry.name());
      if (other != null) {
        throw JournalException.sameFile(
            store.locate(paths.file(other)), store.locate(paths.file(entry.name())));
      }
    }
  }

  private void requireUnchanged(EntryPool pool) throws IOException {
    steps.reached("journal: look at all files");
    Map<JournalEntry, Condition> conditions =
        new JournalCheck(store, paths, true, JournalCheck.Aim.FORWARD, bytesRead)
            .all(entries, pool);
    List<ForeignChange> changed =
        entries.stream()
            .filter(entry -> conditions.get(entry) != Condition.OLD)
            .map(
                entry ->
                    new ForeignChange(
                        entry.name(), ForeignChange.WHOLE_FILE, "is no longer what was read"))
            .toList();
    if (!changed.isEmpty()) {
      throw new ForeignChangeException(store.locate(paths.checkpoint()), changed);
    }
    for (ComparedFile file : compared) {
      if (!store.stamp(paths.file(file.name())).equals(file.stamp())) {
        throw new SourceChangedException(
            store.locate(paths.file(file.name())),
            "was written to since it was compared with what is dropped");
      }
    }
  }

  private JournalIndex index() throws IOException {
    Optional<FileStatus> anchor = store.stat(paths.anchor());
    return new JournalIndex(
        JournalIndex.FORMAT,
        runId,
        Instant.now(Clock.systemUTC()).truncatedTo(ChronoUnit.SECONDS).toString(),
        System.getProperty("user.name", ""),
        new JournalTrust(store, paths, key).host(),
        anchor
            .orElseThrow(() -> JournalException.damaged(store.locate(paths.anchor()), "is missing"))
            .fileKey(),
        entries,
        compared);
  }
}
