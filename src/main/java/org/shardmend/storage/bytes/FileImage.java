package org.shardmend.storage.bytes;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import org.shardmend.storage.FileStamp;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;

/**
 * What a file was, or is going to be: enough to recognize it.
 *
 * @param fileKey its identity, as in {@link FileStatus#fileKey()}
 * @param bytes its length
 * @param leadingBytes how many bytes from its start the digest is of: the header with its length
 *     field, of a shard; all, of another file
 * @param digest SHA-256 of those bytes, in hexadecimal; of a shard this is its header digest
 * @param modified as {@link FileStamp#modified()}
 * @param changed as {@link FileStamp#changed()}
 * @param content what proves the rest of a shard that is exchanged, see {@link ShardContent}; empty
 *     where the digest is of the whole file, or where the rest is never written
 */
public record FileImage(
    String fileKey,
    long bytes,
    long leadingBytes,
    String digest,
    long modified,
    long changed,
    String content)
    implements Serializable {

  /** No file. */
  public static final FileImage ABSENT = new FileImage("", -1, 0, "", 0, 0, "");

  private static final int BUFFER_BYTES = 1 << 16;

  /** The image of a file whose leading bytes have this digest. */
  public static FileImage of(FileStamp stamp, long leadingBytes, String digest, String content) {
    return new FileImage(
        stamp.fileKey(),
        stamp.bytes(),
        leadingBytes,
        digest,
        stamp.modified(),
        stamp.changed(),
        content);
  }

  /**
   * Reads the image of a file.
   *
   * @throws java.io.EOFException when it has fewer than {@code leadingBytes}
   */
  public static FileImage read(Store store, String path, long leadingBytes, String content)
      throws IOException {
    FileStamp stamp = store.stamp(path);
    return of(stamp, leadingBytes, digestOf(store, path, leadingBytes), content);
  }

  /** The same file, with another stamp: what we did to its names changed that. */
  public FileImage at(FileStamp stamp) {
    return of(stamp, leadingBytes, digest, content);
  }

  /** What an untouched file looks like. */
  @JsonIgnore
  public FileStamp stamp() {
    return new FileStamp(fileKey, bytes, modified, changed);
  }

  /** Whether the digest is of all bytes. */
  @JsonIgnore
  public boolean isWhole() {
    return leadingBytes == bytes;
  }

  /** The digest of a file's first bytes. */
  public static String digestOf(Store store, String path, long leadingBytes) throws IOException {
    MessageDigest digest = Sha256.start();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
    try (RangeReader reader = store.openForRead(path)) {
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
