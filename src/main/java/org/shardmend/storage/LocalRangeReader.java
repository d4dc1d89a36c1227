package org.shardmend.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** A mounted file, read by positions, so that the channel's own position plays no part. */
final class LocalRangeReader implements RangeReader {
  private final Location location;
  private final Path path;
  private final FileChannel channel;
  private final BasicFileAttributes opened;

  /** Takes over {@code channel}, and closes it when the file can't be looked at. */
  LocalRangeReader(Location location, Path path, FileChannel channel) throws IOException {
    this.location = location;
    this.path = path;
    this.channel = channel;
    try {
      this.opened = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (IOException failure) {
      channel.close();
      throw failure;
    }
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
    return opened.size();
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
    BasicFileAttributes now;
    try {
      now = Files.readAttributes(path, BasicFileAttributes.class);
    } catch (NoSuchFileException gone) {
      throw withCause(new SourceChangedException(location, "is gone"), gone);
    } catch (IOException failure) {
      throw StorageFailure.of("look again at", location, failure);
    }
    SourceChangedException.check(
        location,
        opened.size(),
        opened.lastModifiedTime().toMillis(),
        now.size(),
        now.lastModifiedTime().toMillis());
    if (!opened.fileKey().equals(now.fileKey())) {
      throw new SourceChangedException(location, "was replaced by another file");
    }
  }

  private static SourceChangedException withCause(
      SourceChangedException failure, IOException cause) {
    failure.initCause(cause);
    return failure;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
