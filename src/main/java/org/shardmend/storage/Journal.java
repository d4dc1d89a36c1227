package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.shardmend.storage.HeaderPairs.Direction;
import org.shardmend.storage.JournalCheck.Condition;

/**
 * The journal of a repair in place, as the driver sees it. The protocol is {@code journal.md}; the
 * numbers in the comments are its sentences. The caller holds the {@link TargetLock} of the
 * checkpoint.
 *
 * <p>A repair: {@link #removeRemains()}, look at the checkpoint, {@link #begin}, tasks stage
 * entries through {@link JournalStage}, {@link JournalBuilder#adopt} and {@link
 * JournalBuilder#put}, {@link JournalBuilder#ready}, {@link #finish}.
 */
public final class Journal {
  private static final int MAX_INDEX_BYTES = 1 << 28;
  private static final String DISCARDED = "discarded-";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Store store;
  private final JournalPaths paths;
  private final StepListener listener;
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicLong bytesWritten = new AtomicLong();
  private final AtomicInteger files = new AtomicInteger();

  private Journal(Store store, String checkpoint, StepListener listener) {
    this.store = store;
    this.paths = new JournalPaths(checkpoint);
    this.listener = listener;
  }

  /**
   * The journal of a checkpoint, whether there is one or not.
   *
   * @param checkpoint an absolute path in the store
   */
  public static Journal of(Store store, String checkpoint, StepListener listener) {
    return new Journal(store, checkpoint, listener);
  }

  /**
   * How far it has come. Reads only names.
   *
   * @throws IOException when the store can't be asked
   */
  public JournalState state() throws IOException {
    if (store.stat(paths.journal()).isEmpty()) {
      return JournalState.NONE;
    }
    if (store.stat(paths.ready()).isEmpty()) {
      return JournalState.PREPARING;
    }
    if (store.stat(paths.rollingBack()).isPresent()) {
      return JournalState.ROLLING_BACK;
    }
    return store.stat(paths.applied()).isPresent() ? JournalState.APPLIED : JournalState.APPLYING;
  }

  /** The run that prepared it; empty before READY. */
  public Optional<String> runId() throws IOException {
    return store.stat(paths.ready()).isPresent() ? Optional.of(index().runId()) : Optional.empty();
  }

  /**
   * Whether it changes a file in a directory of the checkpoint.
   *
   * @param directory relative to the checkpoint
   */
  boolean changesIn(String directory) throws IOException {
    return index().entries().stream().anyMatch(entry -> entry.name().startsWith(directory + "/"));
  }

  /**
   * Fails when there is one, so that another repair in place could not be undone.
   *
   * @throws JournalException then; the message names the ways out
   */
  public void requireNone() throws IOException {
    JournalState state = state();
    if (state != JournalState.NONE) {
      throw inTheWay(state);
    }
  }

  private JournalException inTheWay(JournalState state) {
    return JournalException.inTheWay(store.locate(paths.checkpoint()), state);
  }

  /**
   * Fails while the checkpoint is between old and new (J17).
   *
   * @throws JournalException then; the message names the ways out
   */
  public void requireClosed() throws IOException {
    JournalState state = state();
    if (state.isOpen()) {
      throw inTheWay(state);
    }
  }

  /**
   * Removes what a killed run left that never changed anything (J1, J15). To be called before the
   * checkpoint is looked at, because leftovers hold hard links to shards.
   */
  public void removeRemains() throws IOException {
    if (state() == JournalState.PREPARING) {
      removeJournal();
    }
    removeDiscarded();
  }

  /**
   * Begins a new journal.
   *
   * @param runId the run that prepares it
   * @throws JournalException when there is one that must be ended first
   */
  public JournalBuilder begin(String runId) throws IOException {
    removeRemains();
    requireNone();
    listener.reached("journal: begin");
    for (String directory :
        List.of(
            paths.work(),
            paths.entries(),
            paths.replacements(),
            paths.originals(),
            paths.spares())) {
      store.makeDirectories(directory);
    }
    store.createExclusive(paths.anchor(), new byte[0]);
    return new JournalBuilder(store, paths, runId, listener);
  }

  /**
   * Makes the checkpoint wholly new, from whatever state (J5 to J12, J14). A journal that was only
   * prepared is removed instead.
   *
   * @param threads how many files are worked on at once
   * @throws ForeignChangeException when a file was changed by something else; nothing was written
   * @throws JournalException when the journal is damaged
   * @throws IOException when the store fails; to be run again
   */
  public JournalResult finish(int threads) throws IOException {
    removeDiscarded();
    return switch (state()) {
      case NONE -> JournalResult.of(JournalResult.Outcome.NOTHING);
      case PREPARING -> discard();
      case APPLYING, APPLIED, ROLLING_BACK -> apply(new EntryPool(threads));
    };
  }

  private JournalResult apply(EntryPool pool) throws IOException {
    JournalIndex index = index();
    startCounting();
    listener.reached("journal: look at all files");
    Map<JournalEntry, Condition> conditions = check(index).all(index.entries(), pool);
    if (state() == JournalState.APPLIED) {
      if (conditions.values().stream().allMatch(condition -> condition == Condition.NEW)) {
        return result(JournalResult.Outcome.APPLIED);
      }
    }
    // J14: from here on neither marker stands, until all is new.
    removeMarker(paths.applied());
    removeMarker(paths.rollingBack());
    pool.forEach(
        ofKinds(index, JournalEntry.Kind.PATCH, JournalEntry.Kind.REPLACE), this::applyEntry);
    syncParents(index);
    for (JournalEntry added : ofKinds(index, JournalEntry.Kind.ADD)) {
      applyEntry(added);
    }
    syncParents(index);
    mark(paths.applied());
    listener.reached("journal: applied");
    return result(JournalResult.Outcome.APPLIED);
  }

  private void applyEntry(JournalEntry entry) throws IOException {
    listener.reached("journal: apply %s %s".formatted(entry.kind(), entry.name()));
    switch (entry.kind()) {
      case PATCH -> patch(entry, Direction.FORWARD);
      case REPLACE, ADD -> install(entry, paths.replacement(entry.number()));
    }
    files.incrementAndGet();
  }

  /**
   * Makes the checkpoint wholly old, from whatever state, and removes the journal (J13).
   *
   * @param threads how many files are worked on at once
   * @throws ForeignChangeException when a file was changed by something else; nothing was written
   * @throws JournalException when the journal is damaged
   * @throws IOException when the store fails; to be run again
   */
  public JournalResult rollback(int threads) throws IOException {
    removeDiscarded();
    return switch (state()) {
      case NONE -> JournalResult.of(JournalResult.Outcome.NOTHING);
      case PREPARING -> discard();
      case APPLYING, APPLIED, ROLLING_BACK -> undo(new EntryPool(threads));
    };
  }

  private JournalResult undo(EntryPool pool) throws IOException {
    JournalIndex index = index();
    startCounting();
    listener.reached("journal: look at all files");
    check(index).all(index.entries(), pool);
    mark(paths.rollingBack());
    removeMarker(paths.applied());
    for (JournalEntry added : ofKinds(index, JournalEntry.Kind.ADD)) {
      undoEntry(added);
    }
    pool.forEach(
        ofKinds(index, JournalEntry.Kind.PATCH, JournalEntry.Kind.REPLACE), this::undoEntry);
    syncParents(index);
    removeJournal();
    listener.reached("journal: rolled back");
    return result(JournalResult.Outcome.ROLLED_BACK);
  }

  private void undoEntry(JournalEntry entry) throws IOException {
    listener.reached("journal: undo %s %s".formatted(entry.kind(), entry.name()));
    switch (entry.kind()) {
      case PATCH -> patch(entry, Direction.BACK);
      case REPLACE -> install(entry, paths.original(entry.number()));
      case ADD -> DurableFile.deleteIfPresent(store, paths.file(entry.name()));
    }
    files.incrementAndGet();
  }

  /**
   * Gives up the possibility of undoing: removes the journal of a finished repair (J16).
   *
   * @throws JournalException when the repair is not finished
   */
  public void forget() throws IOException {
    requireClosed();
    if (state() != JournalState.NONE) {
      removeJournal();
    }
    removeDiscarded();
  }

  /** J6. */
  private void patch(JournalEntry entry, Direction direction) throws IOException {
    String shard = paths.file(entry.name());
    try (HeaderPairs.Reader pairs = HeaderPairs.open(store, paths.pair(entry.number()))) {
      while (pairs.next()) {
        if (pairs.block().isChanged()) {
          store.writeAt(shard, pairs.block().offset(), pairs.block().of(direction));
          bytesWritten.addAndGet(pairs.block().length());
        }
      }
    }
    store.sync(shard);
    readBack(entry, shard, direction);
  }

  private void readBack(JournalEntry entry, String shard, Direction direction) throws IOException {
    ByteBuffer now = ByteBuffer.allocate(HeaderPairs.BLOCK_BYTES);
    try (HeaderPairs.Reader pairs = HeaderPairs.open(store, paths.pair(entry.number()));
        RangeReader reader = store.openForRead(shard)) {
      while (pairs.next()) {
        HeaderPairs.Block block = pairs.block();
        now.clear().limit(block.length());
        reader.readFully(block.offset(), now);
        bytesRead.addAndGet(block.length());
        int mismatch = now.flip().mismatch(block.of(direction));
        if (mismatch >= 0) {
          throw JournalException.notHeld(store.locate(shard), (long) block.offset() + mismatch);
        }
      }
    }
  }

  /** J7: the kept file gets the name, and stays kept. */
  private void install(JournalEntry entry, String kept) throws IOException {
    String file = paths.file(entry.name());
    Optional<FileStatus> now = store.stat(file);
    if (now.isPresent() && now.get().fileKey().equals(keyOf(kept))) {
      // Renaming one name of a file over another one of it does nothing.
      return;
    }
    String spare = paths.spare(entry.number());
    DurableFile.deleteIfPresent(store, spare);
    store.link(kept, spare);
    store.replace(spare, file);
  }

  private String keyOf(String kept) throws IOException {
    return store
        .stat(kept)
        .orElseThrow(() -> JournalException.damaged(store.locate(kept), "is missing"))
        .fileKey();
  }

  /** The directories in which names change. */
  private void syncParents(JournalIndex index) throws IOException {
    TreeSet<String> directories = new TreeSet<>();
    for (JournalEntry entry : ofKinds(index, JournalEntry.Kind.REPLACE, JournalEntry.Kind.ADD)) {
      directories.add(DurableFile.parentOf(paths.file(entry.name())));
    }
    for (String directory : directories) {
      store.syncDirectory(directory);
    }
  }

  private void mark(String marker) throws IOException {
    if (store.stat(marker).isEmpty()) {
      listener.reached("journal: mark " + nameOf(marker));
      DurableFile.write(store, marker, new byte[0]);
    }
  }

  private void removeMarker(String marker) throws IOException {
    if (store.stat(marker).isPresent()) {
      listener.reached("journal: unmark " + nameOf(marker));
      store.delete(marker);
    }
    store.syncDirectory(paths.journal());
  }

  private static String nameOf(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private JournalResult discard() throws IOException {
    removeJournal();
    return JournalResult.of(JournalResult.Outcome.DISCARDED);
  }

  /** J15: one rename ends it, and what is left then is only remains. */
  private void removeJournal() throws IOException {
    byte[] random = new byte[4];
    RANDOM.nextBytes(random);
    listener.reached("journal: rename away");
    store.rename(
        paths.journal(), paths.ours() + "/" + DISCARDED + HexFormat.of().formatHex(random));
    listener.reached("journal: remove remains");
    removeDiscarded();
  }

  /** Removes what {@link #removeJournal} renamed away, and our directory when nothing is in it. */
  private void removeDiscarded() throws IOException {
    if (store.stat(paths.ours()).isEmpty()) {
      return;
    }
    List<FileStatus> ours = store.list(paths.ours());
    List<FileStatus> discarded =
        ours.stream().filter(entry -> entry.name().startsWith(DISCARDED)).toList();
    if (!discarded.isEmpty()) {
      // Whoever renamed it may have been killed before this sync.
      store.syncDirectory(paths.ours());
    }
    for (FileStatus entry : discarded) {
      store.deleteTree(entry.path());
    }
    if (discarded.size() == ours.size()) {
      store.delete(paths.ours());
      store.syncDirectory(paths.checkpoint());
    }
  }

  private JournalCheck check(JournalIndex index) throws IOException {
    FileStatus anchor =
        store
            .stat(paths.anchor())
            .orElseThrow(
                () -> JournalException.damaged(store.locate(paths.anchor()), "is missing"));
    return new JournalCheck(store, paths, anchor.fileKey().equals(index.anchor()), bytesRead);
  }

  private JournalIndex index() throws IOException {
    byte[] content =
        DurableFile.read(store, paths.ready(), MAX_INDEX_BYTES)
            .orElseThrow(() -> JournalException.damaged(store.locate(paths.ready()), "is missing"));
    JournalIndex index;
    try {
      index = JsonDocument.read(content, JournalIndex.class);
    } catch (IOException unreadable) {
      JournalException damaged =
          JournalException.damaged(store.locate(paths.ready()), "cannot be read");
      damaged.initCause(unreadable);
      throw damaged;
    }
    if (!index.format().equals(JournalIndex.FORMAT)) {
      throw JournalException.damaged(
          store.locate(paths.ready()),
          "has the format '%s', but this version knows '%s'"
              .formatted(index.format(), JournalIndex.FORMAT));
    }
    return index;
  }

  private static List<JournalEntry> ofKinds(JournalIndex index, JournalEntry.Kind... kinds) {
    List<JournalEntry.Kind> wanted = List.of(kinds);
    return index.entries().stream().filter(entry -> wanted.contains(entry.kind())).toList();
  }

  private void startCounting() {
    files.set(0);
    bytesRead.set(0);
    bytesWritten.set(0);
  }

  private JournalResult result(JournalResult.Outcome outcome) {
    return new JournalResult(outcome, files.get(), bytesRead.get(), bytesWritten.get());
  }
}
