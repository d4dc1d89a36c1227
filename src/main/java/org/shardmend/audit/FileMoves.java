package org.shardmend.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/** How a finished file comes to its place in a table. */
final class FileMoves {
  private static final int COPY_BYTES = 1 << 20;

  private FileMoves() {}

  /**
   * Moves a file into a table; done already when only the target is there. Whatever the target held
   * is replaced: the caller knows that it does not count yet.
   *
   * @throws NoSuchFileException if there is neither
   */
  static void moveIn(Store store, String staged, String target) throws IOException {
    boolean moved = store.stat(target).isPresent();
    if (store.stat(staged).isEmpty()) {
      if (!moved) {
        throw new NoSuchFileException(
            store.locate(staged).toString(), null, "an audit file that was to be appended is gone");
      }
      return;
    }
    if (moved) {
      store.delete(target);
    }
    if (store.traits().atomicRename()) {
      store.rename(staged, target);
    } else {
      copy(store, staged, target);
      store.delete(staged);
    }
  }

  private static void copy(Store store, String from, String to) throws IOException {
    try (RangeReader source = store.openForRead(from);
        ShardWriter target = store.create(to)) {
      ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
      while (source.read(target.position(), buffer) >= 0) {
        target.write(buffer.flip());
        buffer.clear();
      }
      target.complete();
    }
  }

  /** Makes the names in these directories durable, where the store can. */
  static void makeDurable(Store store, List<String> directories) throws IOException {
    if (store.traits().syncs()) {
      for (String directory : directories) {
        store.syncDirectory(directory);
      }
    }
  }
}
