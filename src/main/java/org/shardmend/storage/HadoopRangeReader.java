package org.shardmend.storage;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * A file of a Hadoop file system. It is read by its stream's own position, which moves only where a
 * gap asks for it: each positioned read of HDFS would open a connection of its own.
 */
final class HadoopRangeReader implements RangeReader {
  private static final int SCRATCH_BYTES = 64 * 1024;

  private final Location location;
  private final FSDataInputStream in;
  private final FileStatus opened;
  private final HadoopStore store;
  private final boolean readsBuffers;
  private byte[] scratch = new byte[0];

  HadoopRangeReader(Location location, FSDataInputStream in, FileStatus opened, HadoopStore store) {
    this.location = location;
    this.in = in;
    this.opened = opened;
    this.store = store;
    this.readsBuffers = in.hasCapability(StreamCapabilities.READBYTEBUFFER);
  }

  @Override
  public Location location() {
    return location;
  }

  @Override
  public long size() {
    return opened.bytes();
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    if (!into.hasRemaining()) {
      return 0;
    }
    if (position >= opened.bytes()) {
      return -1;
    }
    try {
      if (in.getPos() != position) {
        in.seek(position);
      }
      return readOn(into);
    } catch (EOFException end) {
      // The file has become shorter than it was said to be; streams differ in how they say so.
      return -1;
    } catch (IOException failure) {
      throw StorageFailure.of("read byte " + position + " of", location, failure);
    }
  }

  private int readOn(ByteBuffer into) throws IOException {
    if (into.hasArray()) {
      int count = in.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
      into.position(into.position() + Math.max(0, count));
      return count;
    }
    if (readsBuffers) {
      return in.read(into);
    }
    if (scratch.length == 0) {
      scratch = new byte[SCRATCH_BYTES];
    }
    int count = in.read(scratch, 0, Math.min(scratch.length, into.remaining()));
    into.put(scratch, 0, Math.max(0, count));
    return count;
  }

  @Override
  public void requireUnchanged() throws IOException {
    SourceChangedException.check(location, opened, store::followed);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
