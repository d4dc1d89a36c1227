package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ReadPattern;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.SourceChangedException;
import org.shardmend.storage.Store;

/**
 * Copies files as they are, such as tokenizers and configurations. One copier serves one thread,
 * for any number of files.
 */
public final class FileCopier {
  private final PieceReader pieces;

  /** A copier that keeps to {@code pace}. */
  public FileCopier(Pace pace) {
    this.pieces = new PieceReader(pace);
  }

  /**
   * Copies one file, durably where the target's store can. Permission bits are kept, whatever the
   * umask, where both stores have such. A symbolic link is followed: whether that is wanted, the
   * caller decides by {@link Store#stat} and {@link Store#realPath}.
   *
   * @param source a regular file, or a link to one
   * @param target a free name in a directory that exists
   * @return the number of bytes
   * @throws SourceChangedException when the source was written meanwhile; there is no target then
   * @throws IOException when reading or writing fails; there is no target then
   */
  public long copy(Store from, String source, Store to, String target) throws IOException {
    FileStatus file = followed(from, source);
    try (RangeReader reader = from.openForRead(file, ReadPattern.SEQUENTIAL);
        ShardWriter writer = to.create(target)) {
      pieces.copy(reader, 0, reader.size(), writer);
      reader.requireUnchanged();
      // Before the sync, which makes them durable, too.
      if (file.permissions().isPresent()) {
        to.setMode(target, file.permissions().getAsInt());
      }
      writer.sync();
      writer.complete();
      return writer.position();
    }
  }

  private static FileStatus followed(Store from, String source) throws IOException {
    String real = from.realPath(source);
    return from.stat(real)
        .orElseThrow(() -> new NoSuchFileException(from.locate(source).toString()));
  }
}
