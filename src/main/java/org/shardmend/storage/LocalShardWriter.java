package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A new mounted file. A large one is written past the page cache, as far as it comes through this
 * process and its file system can do that.
 */
final class LocalShardWriter implements ShardWriter {
  private final Location location;
  private final Path path;
  private final FileChannel channel;
  private final StorageFailure.FreeSpace free;
  private final EarlySync early;
  private Optional<DirectOutput> direct;
  private long position;
  private boolean completed;

  LocalShardWriter(
      Location location,
      Path path,
      FileChannel channel,
      Optional<DirectOutput> direct,
      StorageFailure.FreeSpace free) {
    this.location = location;
    this.path = path;
    this.channel = channel;
    this.direct = direct;
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
    int count = bytes.remaining();
    try {
      if (direct.isPresent()) {
        direct.get().write(bytes);
      } else {
        writeCached(bytes);
      }
      position += count;
    } catch (IOException failure) {
      long pending = direct.map(DirectOutput::pending).orElse(0L);
      throw StorageFailure.ofWrite("write", location, pending + bytes.remaining(), free, failure);
    }
  }

  private void writeCached(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      wrote(channel.write(bytes));
    }
  }

  /** Ends the part that is written past the page cache, if there is one. */
  private void endDirect() throws IOException {
    if (direct.isPresent()) {
      try (DirectOutput output = direct.get()) {
        writeRest(output);
      }
      direct = Optional.empty();
    }
  }

  private void writeRest(DirectOutput output) throws IOException {
    try {
      ByteBuffer rest = output.finish();
      channel.position(output.written());
      writeCached(rest);
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("write", location, output.pending(), free, failure);
    }
  }

  @Override
  public long transferFrom(RangeReader source, long begin, long bytes) throws IOException {
    if (!(source instanceof LocalRangeReader local)) {
      return 0;
    }
    try {
      endDirect();
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
    endDirect();
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
      endDirect();
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
      if (direct.isPresent()) {
        direct.get().close();
      }
      Files.deleteIfExists(path);
    } catch (IOException failure) {
      throw new IOException(
          "Cannot remove the unfinished %s: %s. Remove it by hand."
              .formatted(location, failure.getMessage()),
          failure);
    }
  }
}
