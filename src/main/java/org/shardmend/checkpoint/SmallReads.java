package org.shardmend.checkpoint;

import java.io.IOException;

/** Reads a few bytes of a shard. */
@FunctionalInterface
public interface SmallReads {

  /**
   * Exactly {@code bytes} bytes from {@code offset} on, which counts from the start of the file.
   *
   * @throws IOException if they can't be read
   */
  byte[] read(Shard shard, long offset, int bytes) throws IOException;
}
