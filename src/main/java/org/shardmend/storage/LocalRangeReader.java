package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A mounted file, read by positions, so that the channel's own position plays no part. */
final class LocalRangeReader implements RangeReader {
  private final LocalStore store;
  private final FileStatus opened;
  private final Location location;
  private final FileChannel channel;

  /**
   * @param opened what the file was, links followed
   */
  LocalRangeReader(LocalStore store, FileStatus opened, FileChannel channel) {
    this.store = store;
    this.opened = opened;
    this.location = store.locate(opened.path());
    this.channel = channel;
  }

  FileChannel channel() {
    return channel;
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
    try {
      return channel.read(into, position);
    } catch (IOException failure) {
      throw StorageFailure.of("read byte " + position + " of", location, failure);
    }
  }

  @Override
  public void requireUnchanged() throws IOException {
    SourceChangedException.check(location, opened, store::followed);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
