package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A new mounted file. */
final class LocalShardWriter implements ShardWriter {
  private final Location location;
  private final Path path;
  private final FileChannel channel;
  private final StorageFailure.FreeSpace free;
  private final EarlySync early;
  private long position;
  private boolean completed;

  LocalShardWriter(
      Location location, Path path, FileChannel channel, StorageFailure.FreeSpace free) {
    this.location = location;
    this.path = path;
    this.channel = channel;
    this.free = free;
    this.early = new EarlySync(() -> channel.force(false));
  }

  @Override
  public Location location() {
    return location;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    try {
      while (bytes.hasRemaining()) {
        int count = channel.write(bytes);
        position += count;
        wrote(count);
      }
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("write", location, bytes.remaining(), free, failure);
    }
  }

  @Override
  public long transferFrom(RangeReader source, long begin, long bytes) throws IOException {
    if (!(source instanceof LocalRangeReader local)) {
      return 0;
    }
    try {
      long count = local.channel().transferTo(begin, bytes, channel);
      position += count;
      wrote(count);
      return count;
    } catch (IOException failure) {
      throw StorageFailure.ofWrite(
          "copy from " + source.location() + " to", location, bytes, free, failure);
    }
  }

  @Override
  public void sync() throws IOException {
    try {
      early.await();
      channel.force(true);
    } catch (IOException failure) {
      throw syncFailure(failure);
    }
  }

  private void wrote(long bytes) throws IOException {
    try {
      early.wrote(bytes);
    } catch (IOException failure) {
      throw syncFailure(failure);
    }
  }

  private IOException syncFailure(IOException failure) {
    if (failure instanceof ClosedChannelException) {
      return failure;
    }
    return StorageFailure.isNoSpace(failure)
        ? StorageFailure.ofWrite("write", location, 0, free, failure)
        : StorageFailure.sync(location, failure);
  }

  @Override
  public void complete() throws IOException {
    try {
      channel.close();
      completed = true;
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("end", location, 0, free, failure);
    }
  }

  @Override
  public void abort() throws IOException {
    if (completed) {
      return;
    }
    completed = true;
    try (channel) {
      Files.deleteIfExists(path);
    } catch (IOException failure) {
      throw new IOException(
          "Cannot remove the unfinished %s: %s. Remove it by hand."
              .formatted(location, failure.getMessage()),
          failure);
    }
  }
}
