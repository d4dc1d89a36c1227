package org.shardmend.storage;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/**
 * What a file was, or is going to be: enough to recognize it.
 *
 * @param fileKey its identity, as in {@link FileStatus#fileKey()}
 * @param bytes its length
 * @param leadingBytes how many bytes from its start the digest is of: the header with its length
 *     field, of a shard; all, of another file
 * @param digest SHA-256 of those bytes, in hexadecimal; of a shard this is its header digest
 */
public record FileImage(String fileKey, long bytes, long leadingBytes, String digest)
    implements Serializable {

  /** No file. */
  public static final FileImage ABSENT = new FileImage("", -1, 0, "");

  private static final int BUFFER_BYTES = 1 << 16;

  /**
   * Reads the image of a file.
   *
   * @throws java.io.EOFException when it has fewer than {@code leadingBytes}
   */
  static FileImage read(Store store, FileStatus file, long leadingBytes) throws IOException {
    return new FileImage(
        file.fileKey(), file.bytes(), leadingBytes, digestOf(store, file, leadingBytes));
  }

  /** The digest of a file's first bytes. */
  static String digestOf(Store store, FileStatus file, long leadingBytes) throws IOException {
    MessageDigest digest = Sha256.start();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    try (RangeReader reader = store.openForRead(file, ReadPattern.RANDOM)) {
      long at = 0;
      while (at < leadingBytes) {
        buffer.clear().limit((int) Math.min(BUFFER_BYTES, leadingBytes - at));
        reader.readFully(at, buffer);
        at += buffer.position();
        digest.update(buffer.flip());
      }
    }
    return Sha256.end(digest);
  }
}
