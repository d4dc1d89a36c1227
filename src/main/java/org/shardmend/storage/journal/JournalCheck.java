package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ReadPattern;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.FileImage;
import org.shardmend.storage.bytes.ShardContent;
import org.shardmend.storage.protocol.OwnDirectory;

/**
 * Looks at the files of a journal's entries, and writes nothing: what each is now; sentences J9 and
 * J10 of {@code journal.md}.
 */
final class JournalCheck {
  /** What a file is now. */
  enum Condition {
    /** What it was before. */
    OLD,
    /** What it is to be. */
    NEW,
    /** Sectors of both. */
    TORN
  }

  /** Where the files are to be brought. */
  enum Aim {
    /** To what they are to be. */
    FORWARD,
    /** To what they were. */
    BACK
  }

  private final Store store;
  private final JournalPaths paths;
  private final boolean identitiesCount;
  private final Aim aim;
  private final AtomicLong bytesRead;
  private final Map<Integer, FileStamp> seen = new ConcurrentHashMap<>();
  private final Map<Integer, FileStamp> last = new HashMap<>();

  /**
   * @param identitiesCount false when the journal was copied, so that every file's identity is new
   * @param aim what the files are looked at for
   * @param bytesRead counts what is read of the checkpoint's files
   */
  JournalCheck(
      Store store, JournalPaths paths, boolean identitiesCount, Aim aim, AtomicLong bytesRead) {
    this.aim = aim;
    this.store = store;
    this.paths = paths;
    this.identitiesCount = identitiesCount;
    this.bytesRead = bytesRead;
  }

  /** Takes stamps that exchanged files had when all was applied, as good as those of READY. */
  JournalCheck lastSeen(Map<Integer, FileStamp> stamps) {
    last.putAll(stamps);
    return this;
  }

  /**
   * The condition of every entry's file.
   *
   * @throws ForeignChangeException when any is neither old nor new
   * @throws JournalException when the journal itself is damaged
   */
  Map<JournalEntry, Condition> all(List<JournalEntry> entries, EntryPool pool) throws IOException {
    Map<JournalEntry, Condition> conditions = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Foreign> foreign = new ConcurrentLinkedQueue<>();
    pool.forEach(
        entries,
        entry -> {
          try {
            conditions.put(entry, conditionOf(entry));
          } catch (Foreign change) {
            foreign.add(change);
          }
        });
    if (!foreign.isEmpty()) {
      List<Foreign> ordered = new ArrayList<>(foreign);
      ordered.sort(Comparator.comparingInt(change -> change.number));
      throw new ForeignChangeException(
          store.locate(paths.checkpoint()), ordered.stream().map(change -> change.change).toList());
    }
    return conditions;
  }

  private void requireDigest(String path, String digest) throws IOException {
    FileStatus file = stored(path);
    if (!FileImage.digestOf(store, path, file.bytes()).equals(digest)) {
      throw JournalException.damaged(store.locate(path), "is not as it was written");
    }
  }

  private FileStatus stored(String path) throws IOException {
    if (!OwnDirectory.has(store, paths.checkpoint(), path)) {
      throw JournalException.damaged(store.locate(path), "is missing");
    }
    return store
        .stat(path)
        .filter(FileStatus::isFile)
        .orElseThrow(() -> JournalException.damaged(store.locate(path), "is missing"));
  }

  private Condition conditionOf(JournalEntry entry) throws IOException {
    String path = paths.file(entry.name());
    Optional<FileStatus> found = store.stat(path);
    if (found.isEmpty()) {
      if (entry.kind() == JournalEntry.Kind.ADD) {
        requireNewKept(entry);
        return Condition.OLD;
      }
      throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is gone");
    }
    FileStatus file = found.get();
    if (!file.isFile()) {
      throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is no regular file any more");
    }
    if (!store.realPath(path).equals(store.realPath(paths.checkpoint()) + "/" + entry.name())) {
      throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is behind a symbolic link");
    }
    seen.put(entry.number(), store.stamp(path));
    return switch (entry.kind()) {
      case PATCH -> conditionOfPatched(entry, file);
      case REPLACE -> conditionOfReplaced(entry);
      case ADD -> conditionOfAdded(entry);
    };
  }

  /**
   * Requires that a file is what it was when its condition was found; to be called right before it
   * is changed.
   *
   * @throws ForeignChangeException when somebody wrote to it since
   */
  void requireStill(JournalEntry entry) throws IOException {
    String path = paths.file(entry.name());
    Optional<FileStamp> now =
        store.stat(path).isPresent() ? Optional.of(store.stamp(path)) : Optional.empty();
    if (!now.equals(Optional.ofNullable(seen.get(entry.number())))) {
      throw foreign(entry.name(), "was written to at this moment");
    }
  }

  /** Takes the stamp that a file has after we gave it another name, unless somebody wrote to it. */
  void lookAgain(JournalEntry entry) throws IOException {
    FileStamp now = store.stamp(paths.file(entry.name()));
    if (!now.hasContentOf(seen.get(entry.number()))) {
      throw foreign(entry.name(), "was written to at this moment");
    }
    seen.put(entry.number(), now);
  }

  /**
   * Requires that the shards whose bytes decided what is dropped are what they were.
   *
   * @throws ForeignChangeException otherwise
   */
  void requireUnchanged(List<ComparedFile> compared) throws IOException {
    for (ComparedFile file : compared) {
      String path = paths.file(file.name());
      if (!identitiesCount || store.stat(path).isEmpty()) {
        throw foreign(
            file.name(),
            "can't be known for what was compared with tensors that are to be dropped");
      }
      if (!store.stamp(path).equals(file.stamp())) {
        throw foreign(
            file.name(),
            "was written to since tensors that are to be dropped were compared with it");
      }
    }
  }

  /**
   * Requires that nobody wrote into the originals that were exchanged: a program that had one open
   * still can.
   *
   * @throws ForeignChangeException otherwise
   */
  void requireOriginalsUntouched(List<JournalEntry> exchanged) throws IOException {
    for (JournalEntry entry : exchanged) {
      if (originalWasWrittenTo(entry)) {
        throw foreign(entry.name(), lateWrite(entry));
      }
    }
  }

  /**
   * Requires that nobody wrote into the new files after they were looked at, and the originals have
   * their names back: a program that had one open still can.
   *
   * @throws ForeignChangeException otherwise
   */
  void requireNewUntouched(List<JournalEntry> exchanged) throws IOException {
    for (JournalEntry entry : exchanged) {
      String kept = paths.replacement(entry.number());
      if (OwnDirectory.has(store, paths.checkpoint(), kept) && !isAsLookedAt(entry, kept)) {
        throw foreign(
            entry.name(),
            "is what it was before the repair again, but somebody wrote into the repaired file, which is now %s; move that elsewhere, and run rollback again"
                .formatted(store.locate(kept)));
      }
    }
  }

  private boolean isAsLookedAt(JournalEntry entry, String kept) throws IOException {
    FileStamp now = store.stamp(kept);
    FileStamp looked = seen.get(entry.number());
    return (looked != null && now.hasContentOf(looked))
        || (identitiesCount && now.hasContentOf(entry.after().stamp()))
        || isImage(kept, entry.after(), Optional.ofNullable(last.get(entry.number())));
  }

  private boolean originalWasWrittenTo(JournalEntry entry) throws IOException {
    String kept = paths.original(entry.number());
    return identitiesCount
        && entry.before().modified() != 0
        && OwnDirectory.has(store, paths.checkpoint(), kept)
        && !store.stamp(kept).hasContentOf(entry.before().stamp());
  }

  private String lateWrite(JournalEntry entry) {
    return "was written to after it was copied, and the repaired file lacks that; the original, with what was written, is %s, and rollback brings it back"
        .formatted(store.locate(paths.original(entry.number())));
  }

  ForeignChangeException foreign(String name, String what) {
    return new ForeignChangeException(
        store.locate(paths.checkpoint()),
        List.of(new ForeignChange(name, ForeignChange.WHOLE_FILE, what)));
  }

  private Condition conditionOfReplaced(JournalEntry entry) throws IOException {
    String path = paths.file(entry.name());
    return switch (aim) {
      case FORWARD -> {
        if (isNewByHeader(entry, path)) {
          if (originalWasWrittenTo(entry)) {
            throw new Foreign(entry, ForeignChange.WHOLE_FILE, lateWrite(entry));
          }
          yield Condition.NEW;
        }
        if (isImage(path, entry.before(), Optional.empty())) {
          requireNewKept(entry);
          yield Condition.OLD;
        }
        throw neither(entry);
      }
      case BACK -> {
        // Nothing is put over the original itself, whatever was written into it.
        if (isSameFile(path, paths.original(entry.number()))
            || isImage(path, entry.before(), Optional.empty())) {
          yield Condition.OLD;
        }
        if (isImage(path, entry.after(), Optional.ofNullable(last.get(entry.number())))) {
          requireOldKept(entry);
          yield Condition.NEW;
        }
        throw neither(entry);
      }
    };
  }

  private static Foreign neither(JournalEntry entry) {
    return new Foreign(
        entry,
        ForeignChange.WHOLE_FILE,
        "is neither the original nor the repaired file: somebody wrote to it since");
  }

  private boolean isSameFile(String path, String kept) throws IOException {
    return OwnDirectory.has(store, paths.checkpoint(), kept)
        && store.stamp(path).fileKey().equals(store.stamp(kept).fileKey());
  }

  private Condition conditionOfAdded(JournalEntry entry) throws IOException {
    if (isImage(paths.file(entry.name()), entry.after(), Optional.empty())) {
      return Condition.NEW;
    }
    throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is not the file that the repair adds");
  }

  /**
   * Going forward nothing is done to a new file, so that its names are all that matters; bytes that
   * were written into it since are newer, and stay.
   */
  private boolean isNewByHeader(JournalEntry entry, String path) throws IOException {
    FileStamp now = store.stamp(path);
    FileImage after = entry.after();
    if (now.bytes() != after.bytes()) {
      return false;
    }
    if (identitiesCount && now.fileKey().equals(after.fileKey())) {
      bytesRead.addAndGet(after.leadingBytes());
      return FileImage.digestOf(store, path, after.leadingBytes()).equals(after.digest());
    }
    return isImage(path, after, Optional.empty());
  }

  /**
   * Whether a file is that one: by its stamp, which costs nothing, or by all its bytes. The first
   * says no after a file was copied, or written to and put back; the second never errs.
   *
   * @param other a stamp that is as good as the image's own
   */
  private boolean isImage(String path, FileImage image, Optional<FileStamp> other)
      throws IOException {
    FileStamp now = store.stamp(path);
    if (now.bytes() != image.bytes()) {
      return false;
    }
    if (identitiesCount && (now.equals(image.stamp()) || other.equals(Optional.of(now)))) {
      return true;
    }
    bytesRead.addAndGet(image.bytes());
    return hasContent(path, image);
  }

  private boolean hasContent(String path, FileImage image) throws IOException {
    return image.isWhole()
        ? FileImage.digestOf(store, path, image.bytes()).equals(image.digest())
        : ShardContent.isOf(store, path, image.content());
  }

  /** The new file, which lies in the journal until it gets its name. */
  private void requireNewKept(JournalEntry entry) throws IOException {
    requireKept(paths.replacement(entry.number()), entry.after());
  }

  private void requireKept(String path, FileImage image) throws IOException {
    stored(path);
    FileStamp now = store.stamp(path);
    boolean byStamp = !image.isWhole() && identitiesCount && now.hasContentOf(image.stamp());
    if (now.bytes() != image.bytes() || !(byStamp || hasContent(path, image))) {
      throw JournalException.damaged(store.locate(path), "is not as it was kept");
    }
  }

  /** The original: the very file, with whatever was written into it since, or one of its bytes. */
  private void requireOldKept(JournalEntry entry) throws IOException {
    String path = paths.original(entry.number());
    stored(path);
    if (!identitiesCount || !store.stamp(path).fileKey().equals(entry.before().fileKey())) {
      requireKept(path, entry.before());
    }
  }

  private Condition conditionOfPatched(JournalEntry entry, FileStatus file) throws IOException {
    if (file.bytes() != entry.before().bytes()) {
      throw new Foreign(
          entry,
          ForeignChange.WHOLE_FILE,
          "has %d bytes, but had %d".formatted(file.bytes(), entry.before().bytes()));
    }
    if (identitiesCount && !file.fileKey().equals(entry.before().fileKey())) {
      throw new Foreign(
          entry,
          ForeignChange.WHOLE_FILE,
          "is another file of the same name (inode %s, was %s)"
              .formatted(file.fileKey(), entry.before().fileKey()));
    }
    requireDigest(paths.pair(entry.number()), entry.stored());
    return compareSectors(entry, file);
  }

  private Condition compareSectors(JournalEntry entry, FileStatus file) throws IOException {
    boolean someOld = false;
    boolean someNew = false;
    ByteBuffer now = ByteBuffer.allocate(HeaderPairs.BLOCK_BYTES);
    try (HeaderPairs.Reader pairs =
            HeaderPairs.open(store, paths.pair(entry.number()), entry.before().leadingBytes());
        RangeReader reader = store.openForRead(file, ReadPattern.RANDOM)) {
      while (pairs.next()) {
        HeaderPairs.Block block = pairs.block();
        now.clear().limit(block.length());
        reader.readFully(block.offset(), now);
        bytesRead.addAndGet(block.length());
        for (int at = 0; at < block.length(); at += HeaderPairs.SECTOR_BYTES) {
          int end = Math.min(at + HeaderPairs.SECTOR_BYTES, block.length());
          boolean isOld = block.matches(HeaderPairs.Direction.BACK, now.array(), at, end);
          boolean isNew = block.matches(HeaderPairs.Direction.FORWARD, now.array(), at, end);
          if (!isOld && !isNew) {
            long offset = (long) block.offset() + at;
            throw new Foreign(
                entry,
                offset,
                "has a header whose sector at byte %d is neither the old one's nor the new one's"
                    .formatted(offset));
          }
          someOld |= isOld && !isNew;
          someNew |= isNew && !isOld;
        }
      }
    }
    if (someOld && someNew) {
      return Condition.TORN;
    }
    return someOld ? Condition.OLD : Condition.NEW;
  }

  /** One finding, on its way to the list of all. */
  private static final class Foreign extends IOException {
    private static final long serialVersionUID = 1L;

    private final int number;
    private final ForeignChange change;

    Foreign(JournalEntry entry, long offset, String what) {
      super(what);
      this.number = entry.number();
      this.change = new ForeignChange(entry.name(), offset, what);
    }
  }
}
