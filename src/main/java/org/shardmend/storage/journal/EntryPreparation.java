package org.shardmend.storage.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.FileImage;
import org.shardmend.storage.bytes.Sha256;
import org.shardmend.storage.bytes.ShardContent;
import org.shardmend.storage.protocol.DurableFile;

/**
 * What tasks do for the journal of a repair in place: stage entries under names of their own
 * attempt; sentence J2 of {@code journal.md}. The driver has {@linkplain Journal#begin begun} the
 * journal.
 */
public final class EntryPreparation {
  private final Store store;
  private final JournalPaths paths;

  private EntryPreparation(Store store, String checkpoint) {
    this.store = store;
    this.paths = new JournalPaths(checkpoint);
  }

  /**
   * Stages for the journal of this checkpoint.
   *
   * @param checkpoint an absolute path in the store
   */
  public static EntryPreparation of(Store store, String checkpoint) {
    return new EntryPreparation(store, checkpoint);
  }

  /**
   * Stages the overwriting of a header, durably.
   *
   * @param number the entry's number, unique in the journal
   * @param attempt unique among all attempts of this run
   * @param name the shard, relative to the checkpoint
   * @param before the shard's first bytes: the old header with its length field
   * @param after what is going to be there: of the same length, and different
   * @throws IllegalArgumentException when the headers don't fit
   * @throws IOException when the shard or the journal can't be reached
   */
  public StagedEntry patch(int number, long attempt, String name, byte[] before, byte[] after)
      throws IOException {
    if (before.length != after.length || Arrays.equals(before, after)) {
      throw new IllegalArgumentException(
          "A patch needs two different headers of one length, but for %s they have %d and %d bytes."
              .formatted(name, before.length, after.length));
    }
    FileStatus shard = resolve(name);
    String staged = paths.staged(number, attempt);
    DurableFile.deleteIfPresent(store, staged);
    HeaderPairs.Written pair = HeaderPairs.write(store, staged, before, after);
    return new StagedEntry(
        attempt,
        pair.bytes(),
        new JournalEntry(
            number,
            JournalEntry.Kind.PATCH,
            relative(shard.path()),
            FileImage.of(store.stamp(shard.path()), before.length, Sha256.hex(before), ""),
            FileImage.of(store.stamp(shard.path()), after.length, Sha256.hex(after), ""),
            pair.digest()));
  }

  /**
   * What proves a shard's content.
   *
   * @param headerBytes of its header, with the length field
   * @param content of its data, see {@link ShardContent#of}
   */
  public record Proof(long headerBytes, String content) {}

  /** Where an attempt writes the file that is going to take a shard's name. */
  public String replacementPath(int number, long attempt) {
    return paths.staged(number, attempt);
  }

  /**
   * Stages the exchange of a shard for the file that was written, synced and completed at {@link
   * #replacementPath}. The new file gets the old one's owner, permissions, access list and extended
   * attributes.
   *
   * @param before of the old file
   * @param after of the new one
   * @throws IOException when a file can't be reached
   */
  public StagedEntry replacement(int number, long attempt, String name, Proof before, Proof after)
      throws IOException {
    FileStatus shard = resolve(name);
    String staged = paths.staged(number, attempt);
    store.copyAttributes(shard.path(), staged);
    store.sync(staged);
    FileImage image = FileImage.read(store, staged, after.headerBytes(), after.content());
    return new StagedEntry(
        attempt,
        image.bytes(),
        new JournalEntry(
            number,
            JournalEntry.Kind.REPLACE,
            relative(shard.path()),
            FileImage.read(store, shard.path(), before.headerBytes(), before.content()),
            image,
            ""));
  }

  /** The regular file that the name leads to. */
  FileStatus resolve(String name) throws IOException {
    FileStatus entry = required(paths.file(name));
    if (entry.kind() != FileEntry.Kind.SYMLINK) {
      return entry;
    }
    FileStatus target = required(store.realPath(entry.path()));
    if (!target.path().startsWith(store.realPath(paths.checkpoint()) + "/")) {
      throw new IOException(
          "%s leads out of the checkpoint, to %s, which is not ours to change. Repair into --output, or repair the directory that it leads to."
              .formatted(store.locate(entry.path()), store.locate(target.path())));
    }
    return target;
  }

  /** As {@link #resolve}, the name below the checkpoint. */
  String resolvedName(String name) throws IOException {
    return relative(resolve(name).path());
  }

  private FileStatus required(String path) throws IOException {
    return store
        .stat(path)
        .orElseThrow(() -> new NoSuchFileException(store.locate(path).toString()));
  }

  /** The name below the checkpoint of a path that may go through its real path. */
  String relative(String path) throws IOException {
    String prefix = paths.checkpoint() + "/";
    return path.startsWith(prefix)
        ? path.substring(prefix.length())
        : path.substring(store.realPath(paths.checkpoint()).length() + 1);
  }
}
