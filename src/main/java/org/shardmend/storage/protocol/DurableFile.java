package org.shardmend.storage.protocol;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/** Small files that are there whole or not at all, also after a power cut. */
public final class DurableFile {
  private static final String UNFINISHED = ".unfinished";

  private DurableFile() {}

  /**
   * Writes the file, over an earlier one of that name, and makes it durable with its name. One
   * caller at a time.
   */
  public static void write(Store store, String path, byte[] content) throws IOException {
    writeSynced(store, path, content);
    syncParent(store, path);
  }

  /**
   * As {@link #write}, but the name itself may be lost by a power cut, until its directory is
   * synced. The content never is without its name.
   */
  public static void writeSynced(Store store, String path, byte[] content) throws IOException {
    if (!store.traits().atomicRename()) {
      deleteIfPresent(store, path);
      create(store, path, content);
      return;
    }
    String unfinished = path + UNFINISHED;
    deleteIfPresent(store, unfinished);
    create(store, unfinished, content);
    store.replace(unfinished, path);
  }

  private static void create(Store store, String path, byte[] content) throws IOException {
    try (ShardWriter writer = store.create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  /**
   * The content; empty when there is no such file.
   *
   * @param maxBytes more than the document can have
   * @throws JournalRefusedException when it is a link: we make files
   * @throws IOException when the file is longer than that, or can't be read
   */
  public static Optional<byte[]> read(Store store, String path, int maxBytes) throws IOException {
    if (store.traits().hardLinks()
        && store.stat(path).map(found -> !found.isFile()).orElse(false)) {
      throw JournalRefusedException.link(store.locate(path));
    }
    try (RangeReader reader = store.openForRead(path)) {
      if (reader.size() > maxBytes) {
        throw new IOException(
            "%s has %d bytes, but what we write there has at most %d. It is not ours: look at it, and remove it if nothing needs it."
                .formatted(reader.location(), reader.size(), maxBytes));
      }
      ByteBuffer content = ByteBuffer.allocate((int) reader.size());
      reader.readFully(0, content);
      return Optional.of(content.array());
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    }
  }

  /** Removes the file, if there is one; whether there was. */
  public static boolean deleteIfPresent(Store store, String path) throws IOException {
    if (store.stat(path).isEmpty()) {
      return false;
    }
    try {
      store.delete(path);
      return true;
    } catch (NoSuchFileException gone) {
      return false;
    }
  }

  /** Makes the name durable. */
  static void syncParent(Store store, String path) throws IOException {
    if (store.traits().syncs()) {
      store.syncDirectory(parentOf(path));
    }
  }

  /** The directory of a path. */
  public static String parentOf(String path) {
    return path.substring(0, Math.max(1, path.lastIndexOf('/')));
  }
}
