package org.shardmend.storage;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Collects what is written. */
public final class MemoryWriter implements ShardWriter {
  private final ByteArrayOutputStream content = new ByteArrayOutputStream();

  public byte[] content() {
    return content.toByteArray();
  }

  @Override
  public Location location() {
    return Location.ofFile("/memory");
  }

  @Override
  public long position() {
    return content.size();
  }

  @Override
  public void write(ByteBuffer bytes) {
    byte[] array = new byte[bytes.remaining()];
    bytes.get(array);
    content.writeBytes(array);
  }

  @Override
  public void sync() {}

  @Override
  public void complete() {}

  @Override
  public void abort() {}
}
