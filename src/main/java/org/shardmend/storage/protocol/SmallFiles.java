package org.shardmend.storage.protocol;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/** Reads and writes files that fit into memory: settings, side files, manifests. */
public final class SmallFiles {
  private static final int BUFFER_BYTES = 1 << 16;

  private SmallFiles() {}

  /**
   * The whole content of a file.
   *
   * @param maxBytes what is too much
   * @throws IOException when the file is longer, or can't be read
   */
  public static byte[] read(Store store, String path, int maxBytes) throws IOException {
    try (RangeReader reader = store.openForRead(path)) {
      if (reader.size() > maxBytes) {
        throw new IOException(
            "%s has %d bytes, more than the %d that such a file may have."
                .formatted(reader.location(), reader.size(), maxBytes));
      }
      byte[] content = new byte[(int) reader.size()];
      reader.readFully(0, ByteBuffer.wrap(content));
      return content;
    }
  }

  /**
   * Writes a new file and makes its content durable.
   *
   * @throws java.nio.file.FileAlreadyExistsException when the path is taken
   * @throws IOException when it can't be written; nothing remains then
   */
  public static void create(Store store, String path, byte[] content) throws IOException {
    try (ShardWriter writer = store.create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  /** What a file is to hold, told piece by piece. */
  @FunctionalInterface
  public interface Content {
    void writeTo(OutputStream out) throws IOException;
  }

  /**
   * Writes a file in one step where the store can: whoever reads it sees what was there before, or
   * all of {@code content}. A link is followed.
   *
   * @param content may be more than fits into memory
   * @throws IOException when it can't be written, or something other than a file is there; it is as
   *     it was then
   */
  public static void replace(Store store, String path, Content content) throws IOException {
    boolean present = store.stat(path).isPresent();
    String target = present ? store.realPath(path) : path;
    if (present && !store.stat(target).map(FileStatus::isFile).orElse(true)) {
      throw new IOException(
          "%s is not a file, and so can't be replaced by one.".formatted(store.locate(target)));
    }
    if (!store.traits().atomicRename()) {
      try (ShardWriter writer = store.createReplacing(target)) {
        write(writer, content);
      }
      return;
    }
    String staged =
        SiblingName.of(target, ".new-" + Long.toHexString(new SecureRandom().nextLong()));
    try (ShardWriter writer = store.create(staged)) {
      write(writer, content);
    }
    try {
      store.replace(staged, target);
    } catch (IOException e) {
      DurableFile.deleteIfPresent(store, staged);
      throw e;
    }
  }

  private static void write(ShardWriter writer, Content content) throws IOException {
    try (OutputStream out = new BufferedOutputStream(new Written(writer), BUFFER_BYTES)) {
      content.writeTo(out);
    }
    writer.sync();
    writer.complete();
  }

  /** A file that is being written, for who writes to streams; closing it leaves it open. */
  private static final class Written extends OutputStream {
    private final ShardWriter writer;

    Written(ShardWriter writer) {
      this.writer = writer;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      writer.write(ByteBuffer.wrap(bytes, from, count));
    }
  }
}
