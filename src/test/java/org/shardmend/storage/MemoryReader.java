package org.shardmend.storage;

import java.nio.ByteBuffer;

/** Bytes that are read in portions of at most {@code portion}, as a network would hand them out. */
public final class MemoryReader implements RangeReader {
  private final byte[] content;
  private final int portion;
  private long bytesRead;

  public MemoryReader(byte[] content, int portion) {
    this.content = content;
    this.portion = portion;
  }

  public long bytesRead() {
    return bytesRead;
  }

  @Override
  public Location location() {
    return Location.ofFile("/memory");
  }

  @Override
  public long size() {
    return content.length;
  }

  @Override
  public int read(long position, ByteBuffer into) {
    if (position >= content.length) {
      return -1;
    }
    int count = (int) Math.min(Math.min(portion, into.remaining()), content.length - position);
    into.put(content, (int) position, count);
    bytesRead += count;
    return count;
  }

  @Override
  public void requireUnchanged() {}

  @Override
  public void close() {}
}
