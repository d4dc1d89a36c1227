package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.CheckpointStamps;
import org.shardmend.storage.journal.HeaderPairs.Direction;
import org.shardmend.storage.journal.JournalCheck.Condition;
import org.shardmend.storage.lock.HeldLock;
import org.shardmend.storage.lock.TargetLock;
import org.shardmend.storage.protocol.DurableFile;
import org.shardmend.storage.protocol.JournalRefusedException;
import org.shardmend.storage.protocol.JsonDocument;
import org.shardmend.storage.protocol.OwnDirectory;
import org.shardmend.storage.protocol.StepListener;

/**
 * The journal of a repair in place, as the driver sees it. The protocol is {@code journal.md}; the
 * numbers in the comments are its sentences. The caller holds the {@link TargetLock} of the
 * checkpoint.
 *
 * <p>A repair: {@link #removeRemains()}, look at the checkpoint, {@link #begin}, tasks stage
 * entries through {@link EntryPreparation}, {@link JournalBuilder#adopt} and {@link
 * JournalBuilder#put}, {@link JournalBuilder#ready}, {@link #finish}.
 */
public final class Journal {
  private static final String DISCARDED = "discarded-";
  private static final SecureRandom RANDOM = new SecureRandom();

  private final Store store;
  private final JournalPaths paths;
  private final StepListener listener;
  private final JournalKey key;
  private boolean adopts;
  private HeldLock lock = HeldLock.NONE;
  private final AtomicLong bytesRead = new AtomicLong();
  private final AtomicLong bytesWritten = new AtomicLong();
  private final AtomicInteger files = new AtomicInteger();

  private Journal(Store store, String checkpoint, StepListener listener, JournalKey key) {
    this.key = key;
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
    return of(store, checkpoint, listener, JournalKey.ofUser());
  }

  static Journal of(Store store, String checkpoint, StepListener listener, JournalKey key) {
    return new Journal(store, checkpoint, listener, key);
  }

  /**
   * Believes the journal, whoever wrote it: the user vouches for it. What no run could have written
   * is refused all the same.
   */
  public Journal adopting() {
    adopts = true;
    return this;
  }

  /**
   * Asks before each step that changes something whether the lock is still held.
   *
   * @param held what keeps other runs off the checkpoint
   */
  public Journal under(HeldLock held) {
    lock = held;
    return this;
  }

  private void step(String name) throws IOException {
    lock.requireHeld();
    listener.reached(name);
  }

  /**
   * How far it has come. Reads only names.
   *
   * @throws JournalRefusedException when a link is where it would be
   * @throws IOException when the store can't be asked
   */
  public JournalState state() throws IOException {
    if (!has(paths.journal())) {
      return JournalState.NONE;
    }
    if (!has(paths.ready())) {
      return JournalState.PREPARING;
    }
    if (has(paths.rollingBack())) {
      return JournalState.ROLLING_BACK;
    }
    return has(paths.applied()) ? JournalState.APPLIED : JournalState.APPLYING;
  }

  private boolean has(String path) throws IOException {
    return OwnDirectory.has(store, paths.checkpoint(), path);
  }

  /** The run that prepared it; empty before READY. */
  public Optional<String> runId() throws IOException {
    return has(paths.ready()) ? Optional.of(index().runId()) : Optional.empty();
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
   * The directories of the checkpoint, other than its own, in which it changes files: those of
   * presharded dumps.
   *
   * @return relative to the checkpoint; none before READY
   * @throws JournalRefusedException when it is not to be believed
   */
  public SortedSet<String> directories() throws IOException {
    TreeSet<String> directories = new TreeSet<>();
    if (has(paths.ready())) {
      for (JournalEntry entry : believed().entries()) {
        int end = entry.name().lastIndexOf('/');
        if (end > 0) {
          directories.add(entry.name().substring(0, end));
        }
      }
    }
    return directories;
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
   * @param stamps what the checkpoint's files were before they were planned on
   * @throws JournalException when there is one that must be ended first
   */
  public JournalBuilder begin(String runId, CheckpointStamps stamps) throws IOException {
    removeRemains();
    requireNone();
    step("journal: begin");
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
    return new JournalBuilder(store, paths, runId, this::step, stamps, key);
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
    JournalIndex index = believed();
    startCounting();
    step("journal: look at all files");
    JournalCheck check = check(index, JournalCheck.Aim.FORWARD);
    Map<JournalEntry, Condition> conditions = check.all(index.entries(), pool);
    List<JournalEntry> exchanged = ofKinds(index, JournalEntry.Kind.REPLACE);
    if (exchanged.stream().anyMatch(entry -> conditions.get(entry) != Condition.NEW)) {
      check.requireUnchanged(index.compared());
    }
    if (state() == JournalState.APPLIED) {
      if (conditions.values().stream().allMatch(condition -> condition == Condition.NEW)) {
        return result(JournalResult.Outcome.APPLIED);
      }
    }
    // J14: from here on neither marker stands, until all is new.
    removeMarker(paths.applied());
    removeMarker(paths.rollingBack());
    // What is dropped first: while a shard that was compared still has its stamp.
    pool.forEach(exchanged, entry -> applyEntry(entry, check));
    syncParents(index);
    pool.forEach(ofKinds(index, JournalEntry.Kind.PATCH), entry -> applyEntry(entry, check));
    for (JournalEntry added : ofKinds(index, JournalEntry.Kind.ADD)) {
      applyEntry(added, check);
    }
    syncParents(index);
    removeInstalled(index);
    check.requireOriginalsUntouched(exchanged);
    writeSeen(exchanged);
    mark(paths.applied());
    step("journal: applied");
    return result(JournalResult.Outcome.APPLIED);
  }

  private void applyEntry(JournalEntry entry, JournalCheck check) throws IOException {
    step("journal: apply %s %s".formatted(entry.kind(), entry.name()));
    check.requireStill(entry);
    switch (entry.kind()) {
      case PATCH -> patch(entry, Direction.FORWARD);
      case REPLACE -> {
        if (install(entry, paths.replacement(entry.number()))) {
          requireNothingLost(entry, check);
        }
      }
      case ADD -> install(entry, paths.replacement(entry.number()));
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
    JournalIndex index = believed();
    startCounting();
    step("journal: look at all files");
    JournalCheck check = check(index, JournalCheck.Aim.BACK).lastSeen(readSeen());
    Map<JournalEntry, Condition> conditions = check.all(index.entries(), pool);
    mark(paths.rollingBack());
    removeMarker(paths.applied());
    keepInstalled(index, conditions, check);
    for (JournalEntry added : ofKinds(index, JournalEntry.Kind.ADD)) {
      undoEntry(added, conditions.get(added), check);
    }
    pool.forEach(
        ofKinds(index, JournalEntry.Kind.PATCH, JournalEntry.Kind.REPLACE),
        entry -> undoEntry(entry, conditions.get(entry), check));
    syncParents(index);
    step("journal: look at what was exchanged");
    check.requireNewUntouched(ofKinds(index, JournalEntry.Kind.REPLACE, JournalEntry.Kind.ADD));
    removeJournal();
    step("journal: rolled back");
    return result(JournalResult.Outcome.ROLLED_BACK);
  }

  private void undoEntry(JournalEntry entry, Condition condition, JournalCheck check)
      throws IOException {
    step("journal: undo %s %s".formatted(entry.kind(), entry.name()));
    check.requireStill(entry);
    switch (entry.kind()) {
      case PATCH -> patch(entry, Direction.BACK);
      case REPLACE -> {
        if (condition == Condition.NEW) {
          install(entry, paths.original(entry.number()));
        }
      }
      case ADD -> DurableFile.deleteIfPresent(store, paths.file(entry.name()));
    }
    files.incrementAndGet();
  }

  /**
   * Gives up the possibility of undoing: removes the journal of a finished repair (J16).
   *
   * @throws JournalException when the repair is not finished
   * @throws ForeignChangeException when somebody wrote into an original since it was exchanged
   */
  public void forget() throws IOException {
    requireClosed();
    if (state() != JournalState.NONE) {
      requireNothingForgotten();
      removeJournal();
    }
    removeDiscarded();
  }

  /** A program that has an original open may write to it until it is removed. */
  private void requireNothingForgotten() throws IOException {
    if (!has(paths.ready()) || !has(paths.anchor())) {
      return;
    }
    JournalIndex index;
    try {
      index = index();
    } catch (JournalException | JournalRefusedException noRunWroteIt) {
      // T3: no journal is needed to remove one.
      return;
    }
    check(index, JournalCheck.Aim.FORWARD)
        .requireOriginalsUntouched(ofKinds(index, JournalEntry.Kind.REPLACE));
  }

  /** J6. */
  private void patch(JournalEntry entry, Direction direction) throws IOException {
    String shard = paths.file(entry.name());
    try (HeaderPairs.Reader pairs =
        HeaderPairs.open(store, paths.pair(entry.number()), entry.before().leadingBytes())) {
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
    try (HeaderPairs.Reader pairs =
            HeaderPairs.open(store, paths.pair(entry.number()), entry.before().leadingBytes());
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

  /** J7: the kept file gets the name, and stays kept; whether it had not got it before. */
  private boolean install(JournalEntry entry, String kept) throws IOException {
    String file = paths.file(entry.name());
    Optional<FileStatus> now = store.stat(file);
    if (!has(kept)) {
      // It is where it belongs, and was looked at there.
      return false;
    }
    if (now.isPresent() && now.get().fileKey().equals(keyOf(kept))) {
      // Renaming one name of a file over another one of it does nothing.
      return false;
    }
    String spare = paths.spare(entry.number());
    DurableFile.deleteIfPresent(store, spare);
    store.link(kept, spare);
    store.replace(spare, file);
    return true;
  }

  /** Puts the original back that somebody wrote to at the very moment when it was exchanged. */
  private void requireNothingLost(JournalEntry entry, JournalCheck check) throws IOException {
    try {
      check.requireOriginalsUntouched(List.of(entry));
    } catch (ForeignChangeException late) {
      install(entry, paths.original(entry.number()));
      store.syncDirectory(DurableFile.parentOf(paths.file(entry.name())));
      throw late;
    }
  }

  /** A file that has its name shares it with none in the journal: editors write into files. */
  private void removeInstalled(JournalIndex index) throws IOException {
    step("journal: take the new files out of the journal");
    for (JournalEntry entry : ofKinds(index, JournalEntry.Kind.REPLACE, JournalEntry.Kind.ADD)) {
      DurableFile.deleteIfPresent(store, paths.replacement(entry.number()));
    }
    store.syncDirectory(paths.replacements());
  }

  /** Before an undo, so that it can be turned round: the new files become the journal's again. */
  private void keepInstalled(
      JournalIndex index, Map<JournalEntry, Condition> conditions, JournalCheck check)
      throws IOException {
    step("journal: keep the new files");
    for (JournalEntry entry : ofKinds(index, JournalEntry.Kind.REPLACE, JournalEntry.Kind.ADD)) {
      if (conditions.get(entry) == Condition.NEW && !has(paths.replacement(entry.number()))) {
        check.requireStill(entry);
        store.link(paths.file(entry.name()), paths.replacement(entry.number()));
        check.lookAgain(entry);
      }
    }
    store.syncDirectory(paths.replacements());
  }

  /** What the exchanged files look like when all is done, so that an undo need not read them. */
  private void writeSeen(List<JournalEntry> exchanged) throws IOException {
    List<ExchangedFileStamps.Seen> seen = new ArrayList<>();
    for (JournalEntry entry : exchanged) {
      FileStamp stamp = store.stamp(paths.file(entry.name()));
      // What somebody has written into it by now is not ours to vouch for.
      if (stamp.hasContentOf(entry.after().stamp())) {
        seen.add(new ExchangedFileStamps.Seen(entry.number(), stamp));
      }
    }
    DurableFile.write(store, paths.seen(), JsonDocument.write(new ExchangedFileStamps(seen)));
  }

  private Map<Integer, FileStamp> readSeen() throws IOException {
    Optional<byte[]> content =
        has(paths.seen())
            ? DurableFile.read(store, paths.seen(), JournalIndexReader.MAX_BYTES)
            : Optional.empty();
    return content.map(ExchangedFileStamps::stampsOf).orElse(Map.of());
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
      step("journal: mark " + nameOf(marker));
      DurableFile.write(store, marker, new byte[0]);
    }
  }

  private void removeMarker(String marker) throws IOException {
    if (store.stat(marker).isPresent()) {
      step("journal: unmark " + nameOf(marker));
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
    step("journal: rename away");
    store.rename(
        paths.journal(), paths.ours() + "/" + DISCARDED + HexFormat.of().formatHex(random));
    step("journal: remove remains");
    removeDiscarded();
  }

  /** Removes what {@link #removeJournal} renamed away, and our directory when nothing is in it. */
  private void removeDiscarded() throws IOException {
    if (!has(paths.ours())) {
      return;
    }
    List<FileStatus> ours = store.list(paths.ours());
    List<FileStatus> discarded =
        ours.stream().filter(entry -> entry.name().startsWith(DISCARDED)).toList();
    if (!discarded.isEmpty()) {
      // The run that renamed it may have been killed before this sync.
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

  private JournalCheck check(JournalIndex index, JournalCheck.Aim aim) throws IOException {
    FileStatus anchor =
        store
            .stat(paths.anchor())
            .orElseThrow(
                () -> JournalException.damaged(store.locate(paths.anchor()), "is missing"));
    boolean stayed = anchor.fileKey().equals(index.anchor());
    return new JournalCheck(store, paths, stayed, aim, bytesRead);
  }

  /** T1 to T4: only what this user's runs wrote, or what the user vouches for, is acted on. */
  private JournalIndex believed() throws IOException {
    if (!store.traits().overwritesInPlace()) {
      throw JournalRefusedException.malformed(
          store.locate(paths.ready()), "is in a store where nothing is repaired in place, and");
    }
    OwnDirectory.requirePlain(store, paths.checkpoint());
    byte[] ready = readReady();
    JournalIndex index = JournalIndexReader.read(ready, store.locate(paths.ready()));
    JournalTrust trust = new JournalTrust(store, paths, key);
    if (adopts) {
      trust.requirePossible(index);
    } else {
      trust.requireOurs(index, ready);
    }
    return index;
  }

  private JournalIndex index() throws IOException {
    return JournalIndexReader.read(readReady(), store.locate(paths.ready()));
  }

  private byte[] readReady() throws IOException {
    return DurableFile.read(store, paths.ready(), JournalIndexReader.MAX_BYTES)
        .orElseThrow(() -> JournalException.damaged(store.locate(paths.ready()), "is missing"));
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
