package org.shardmend.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.shardmend.storage.ShardWriter;

/**
 * A new file of a store, as Parquet wants to see it. Closing the stream only passes on what is
 * buffered: whether the file counts is for the {@link ShardWriter}'s owner to say.
 */
final class ShardWriterOutputFile implements OutputFile {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ShardWriter file;

  ShardWriterOutputFile(ShardWriter file) {
    this.file = file;
  }

  @Override
  public PositionOutputStream create(long blockSizeHint) {
    return new Stream(file);
  }

  @Override
  public PositionOutputStream createOrOverwrite(long blockSizeHint) {
    throw new UnsupportedOperationException("An audit file is never overwritten: " + getPath());
  }

  @Override
  public boolean supportsBlockSize() {
    return false;
  }

  @Override
  public long defaultBlockSize() {
    return 0;
  }

  @Override
  public String getPath() {
    return file.location().toString();
  }

  /** Parquet writes its framing byte by byte, so small writes are collected. */
  private static final class Stream extends PositionOutputStream {
    private final ShardWriter file;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

    Stream(ShardWriter file) {
      this.file = file;
    }

    @Override
    public long getPos() {
      return file.position() + buffer.position();
    }

    @Override
    public void write(int b) throws IOException {
      if (!buffer.hasRemaining()) {
        flush();
      }
      buffer.put((byte) b);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (length > buffer.remaining()) {
        flush();
      }
      if (length > buffer.capacity()) {
        file.write(ByteBuffer.wrap(bytes, offset, length));
      } else {
        buffer.put(bytes, offset, length);
      }
    }

    @Override
    public void flush() throws IOException {
      buffer.flip();
      file.write(buffer);
      buffer.clear();
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
