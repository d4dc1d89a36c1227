package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

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

  private final Store store;
  private final JournalPaths paths;
  private final boolean identitiesCount;
  private final AtomicLong bytesRead;

  /**
   * @param identitiesCount false when the journal was copied, so that every file's identity is new
   * @param bytesRead counts what is read of the checkpoint's files
   */
  JournalCheck(Store store, JournalPaths paths, boolean identitiesCount, AtomicLong bytesRead) {
    this.store = store;
    this.paths = paths;
    this.identitiesCount = identitiesCount;
    this.bytesRead = bytesRead;
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
    if (!FileImage.digestOf(store, file, file.bytes()).equals(digest)) {
      throw JournalException.damaged(store.locate(path), "is not as it was written");
    }
  }

  private void requireImage(String path, FileImage image) throws IOException {
    FileStatus file = stored(path);
    if (file.bytes() != image.bytes()
        || !FileImage.digestOf(store, file, image.leadingBytes()).equals(image.digest())) {
      throw JournalException.damaged(store.locate(path), "is not as it was kept");
    }
  }

  private FileStatus stored(String path) throws IOException {
    return store
        .stat(path)
        .filter(FileStatus::isFile)
        .orElseThrow(() -> JournalException.damaged(store.locate(path), "is missing"));
  }

  private Condition conditionOf(JournalEntry entry) throws IOException {
    Optional<FileStatus> found = store.stat(paths.file(entry.name()));
    if (found.isEmpty()) {
      if (entry.kind() == JournalEntry.Kind.ADD) {
        requireKept(entry);
        return Condition.OLD;
      }
      throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is gone");
    }
    FileStatus file = found.get();
    if (!file.isFile()) {
      throw new Foreign(entry, ForeignChange.WHOLE_FILE, "is no regular file any more");
    }
    return switch (entry.kind()) {
      case PATCH -> conditionOfPatched(entry, file);
      case REPLACE, ADD -> conditionOfReplaced(entry, file);
    };
  }

  /** The files that the journal keeps, to be put in place in either direction. */
  private void requireKept(JournalEntry entry) throws IOException {
    requireImage(paths.replacement(entry.number()), entry.after());
    if (entry.kind() == JournalEntry.Kind.REPLACE) {
      requireImage(paths.original(entry.number()), entry.before());
    }
  }

  private Condition conditionOfReplaced(JournalEntry entry, FileStatus file) throws IOException {
    if (isImage(file, entry.after())) {
      requireKept(entry);
      return Condition.NEW;
    }
    if (entry.kind() == JournalEntry.Kind.REPLACE && isImage(file, entry.before())) {
      requireKept(entry);
      return Condition.OLD;
    }
    throw new Foreign(
        entry,
        ForeignChange.WHOLE_FILE,
        entry.kind() == JournalEntry.Kind.REPLACE
            ? "is neither the original nor the repaired file"
            : "is not the file that the repair adds");
  }

  private boolean isImage(FileStatus file, FileImage image) throws IOException {
    if (file.bytes() != image.bytes()
        || (identitiesCount && !file.fileKey().equals(image.fileKey()))) {
      return false;
    }
    bytesRead.addAndGet(image.leadingBytes());
    return FileImage.digestOf(store, file, image.leadingBytes()).equals(image.digest());
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
    try (HeaderPairs.Reader pairs = HeaderPairs.open(store, paths.pair(entry.number()));
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
