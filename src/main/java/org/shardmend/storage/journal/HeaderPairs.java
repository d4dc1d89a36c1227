package org.shardmend.storage.journal;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.Sha256;

/**
 * The file of a PATCH entry: an old and a new header of one length, cut into blocks, the old and
 * the new block in turns, deflated. So a pair costs a fraction of one header to write, and a few
 * buffers to read.
 */
final class HeaderPairs {
  /** Bytes of a sector: what a medium writes as a whole or not at all. */
  static final int SECTOR_BYTES = 512;

  /** Bytes of a block; a multiple of the sector's, so that blocks begin with sectors. */
  static final int BLOCK_BYTES = 128 * SECTOR_BYTES;

  private static final byte[] MAGIC =
      "shardmend header pair 1\n".getBytes(StandardCharsets.US_ASCII);

  private HeaderPairs() {}

  /**
   * Writes a pair, synced.
   *
   * @param before the old header with its length field: the file's first bytes
   * @param after the new one, of the same length
   */
  static Written write(Store store, String path, byte[] before, byte[] after) throws IOException {
    try (ShardWriter writer = store.create(path)) {
      DigestingOutput output = new DigestingOutput(writer);
      output.write(MAGIC);
      output.write(ByteBuffer.allocate(Integer.BYTES).putInt(before.length).array());
      Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION);
      try (DeflaterOutputStream blocks = new DeflaterOutputStream(output, deflater, 1 << 14)) {
        for (int at = 0; at < before.length; at += BLOCK_BYTES) {
          int length = Math.min(BLOCK_BYTES, before.length - at);
          blocks.write(before, at, length);
          blocks.write(after, at, length);
        }
      } finally {
        deflater.end();
      }
      writer.sync();
      writer.complete();
      return new Written(Sha256.end(output.digest), writer.position());
    }
  }

  /**
   * A pair that was written.
   *
   * @param digest SHA-256 of the file, in hexadecimal
   * @param bytes its length
   */
  record Written(String digest, long bytes) {}

  /**
   * Opens a pair.
   *
   * @param headerBytes how long both headers are
   * @throws JournalException when the file is no pair of that length
   */
  static Reader open(Store store, String path, long headerBytes) throws IOException {
    RangeReader file = store.openForRead(path);
    try {
      return new Reader(file, headerBytes);
    } catch (EOFException | ZipException notOurs) {
      file.close();
      throw noPair(file, notOurs);
    } catch (IOException | RuntimeException failure) {
      file.close();
      throw failure;
    }
  }

  private static JournalException noPair(RangeReader file, IOException cause) {
    JournalException damaged = JournalException.damaged(file.location(), "is not a header pair");
    damaged.initCause(cause);
    return damaged;
  }

  /** One block of both headers. */
  static final class Block {
    private final byte[] before = new byte[BLOCK_BYTES];
    private final byte[] after = new byte[BLOCK_BYTES];
    private int offset;
    private int length;

    /** Bytes from the start of the shard. */
    int offset() {
      return offset;
    }

    /** Bytes in this block. */
    int length() {
      return length;
    }

    boolean isChanged() {
      return !Arrays.equals(before, 0, length, after, 0, length);
    }

    /** Whether these bytes, read from the block's place, are that header's from one to another. */
    boolean matches(Direction direction, byte[] now, int from, int to) {
      byte[] side =
          switch (direction) {
            case FORWARD -> after;
            case BACK -> before;
          };
      return Arrays.equals(now, from, to, side, from, to);
    }

    /** This block's bytes of the header that is wanted. */
    ByteBuffer of(Direction direction) {
      return switch (direction) {
        case FORWARD -> ByteBuffer.wrap(after, 0, length).asReadOnlyBuffer();
        case BACK -> ByteBuffer.wrap(before, 0, length).asReadOnlyBuffer();
      };
    }
  }

  /** Which of the two headers is wanted. */
  enum Direction {
    /** The new one. */
    FORWARD,
    /** The old one. */
    BACK
  }

  /** Reads a pair, block by block, from a file that was checked against its digest. */
  static final class Reader implements Closeable {
    private final RangeReader file;
    private final DataInputStream blocks;
    private final Block block = new Block();
    private final int headerBytes;
    private int at;

    private Reader(RangeReader file, long expectedBytes) throws IOException {
      this.file = file;
      InputStream raw = new BufferedInputStream(new FileInput(file), 1 << 14);
      DataInputStream start = new DataInputStream(raw);
      byte[] magic = new byte[MAGIC.length];
      start.readFully(magic);
      if (!Arrays.equals(magic, MAGIC)) {
        throw JournalException.damaged(file.location(), "is not a header pair");
      }
      this.headerBytes = start.readInt();
      if (headerBytes != expectedBytes) {
        throw JournalException.damaged(
            file.location(),
            "holds headers of %d bytes, not of %d".formatted(headerBytes, expectedBytes));
      }
      this.blocks = new DataInputStream(new InflaterInputStream(raw));
    }

    /** Moves on to the next block; false at the end. */
    boolean next() throws IOException {
      if (at >= headerBytes) {
        return false;
      }
      block.offset = at;
      block.length = Math.min(BLOCK_BYTES, headerBytes - at);
      try {
        blocks.readFully(block.before, 0, block.length);
        blocks.readFully(block.after, 0, block.length);
      } catch (EOFException | ZipException notOurs) {
        throw noPair(file, notOurs);
      }
      at += block.length;
      return true;
    }

    /** The block moved to; the same object each time. */
    Block block() {
      return block;
    }

    @Override
    public void close() throws IOException {
      blocks.close();
      file.close();
    }
  }

  /** Writes through, and digests; closing it ends nothing. */
  private static final class DigestingOutput extends OutputStream {
    private final ShardWriter writer;
    private final MessageDigest digest = Sha256.start();

    DigestingOutput(ShardWriter writer) {
      this.writer = writer;
    }

    @Override
    public void write(int single) throws IOException {
      write(new byte[] {(byte) single}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      digest.update(bytes, offset, length);
      writer.write(ByteBuffer.wrap(bytes, offset, length));
    }
  }

  /** A file from its start to its end. */
  private static final class FileInput extends InputStream {
    private final RangeReader file;
    private long at;

    FileInput(RangeReader file) {
      this.file = file;
    }

    @Override
    public int read() throws IOException {
      byte[] single = new byte[1];
      return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int count = file.read(at, ByteBuffer.wrap(into, offset, length));
      if (count > 0) {
        at += count;
      }
      return count;
    }
  }
}
