package org.shardmend.job.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.shardmend.job.spark.ShardTaskException;
import org.shardmend.plan.ShardPlan;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.SourceChangedException;

/**
 * A source shard's header, read again by the task that works on the shard: with one read, because
 * the plan knows its length, and only if it is still what was planned.
 */
public final class SourceHeader {
  private final byte[] bytes;
  private final Header header;

  private SourceHeader(byte[] bytes, Header header) {
    this.bytes = bytes;
    this.header = header;
  }

  /** The 8 + N bytes; not to be changed. */
  public byte[] bytes() {
    return bytes;
  }

  /** What they say. */
  public Header header() {
    return header;
  }

  /**
   * Reads the header of the shard that {@code plan} is about.
   *
   * @throws SourceChangedException when length or header are not what was planned
   * @throws IOException when it can't be read
   */
  public static SourceHeader read(RangeReader reader, ShardPlan plan, UnknownDtypes dtypes)
      throws IOException {
    if (reader.size() != plan.shard().bytes()) {
      throw new SourceChangedException(
          reader.location(),
          "had %d bytes when it was planned, and now has %d"
              .formatted(plan.shard().bytes(), reader.size()));
    }
    HeaderGate.enter(plan.headerBytes());
    byte[] bytes = new byte[Math.toIntExact(plan.headerBytes())];
    reader.readFully(0, ByteBuffer.wrap(bytes));
    if (!digest(bytes).equals(plan.headerDigest())) {
      throw new SourceChangedException(
          reader.location(), "has another header than when it was planned");
    }
    try {
      int json = bytes.length - HeaderReader.LENGTH_BYTES;
      Header header =
          HeaderReader.parse(bytes, HeaderReader.LENGTH_BYTES, json, reader.size(), dtypes);
      return new SourceHeader(bytes, header);
    } catch (SafetensorsException e) {
      throw new ShardTaskException("malformed", plan.name(), e.getMessage(), e);
    }
  }

  /** SHA-256 of header bytes, in hexadecimal. */
  public static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256", e);
    }
  }
}
