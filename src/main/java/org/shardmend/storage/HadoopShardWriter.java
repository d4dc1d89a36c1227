package org.shardmend.storage;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.StreamCapabilities;

/** A new file of a Hadoop file system. */
final class HadoopShardWriter implements ShardWriter {
  private static final int SCRATCH_BYTES = 64 * 1024;

  private final Location location;
  private final FSDataOutputStream out;
  private final CleanUp.Step delete;
  private final StorageFailure.FreeSpace free;
  private byte[] scratch = new byte[0];
  private long position;
  private boolean over;

  /**
   * @param delete removes the file, which may not be there
   */
  HadoopShardWriter(
      Location location,
      FSDataOutputStream out,
      CleanUp.Step delete,
      StorageFailure.FreeSpace free) {
    this.location = location;
    this.out = out;
    this.delete = delete;
    this.free = free;
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
        position += writeSome(bytes);
      }
    } catch (IOException failure) {
      throw StorageFailure.ofWrite("write", location, bytes.remaining(), free, failure);
    }
  }

  private int writeSome(ByteBuffer bytes) throws IOException {
    int count;
    if (bytes.hasArray()) {
      count = bytes.remaining();
      out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), count);
      bytes.position(bytes.limit());
    } else {
      if (scratch.length == 0) {
        scratch = new byte[SCRATCH_BYTES];
      }
      count = Math.min(scratch.length, bytes.remaining());
      bytes.get(scratch, 0, count);
      out.write(scratch, 0, count);
    }
    return count;
  }

  @Override
  public void sync() throws IOException {
    if (!out.hasCapability(StreamCapabilities.HSYNC)) {
      return;
    }
    try {
      out.hsync();
    } catch (InterruptedIOException interrupted) {
      throw interrupted;
    } catch (IOException failure) {
      if (StorageFailure.isNoSpace(failure)) {
        throw StorageFailure.ofWrite("write", location, 0, free, failure);
      }
      throw StorageFailure.sync(location, failure);
    }
  }

  @Override
  public void complete() throws IOException {
    try {
      out.close();
      over = true;
    } catch (IOException failure) {
      if (isTaken(failure)) {
        // What is there now is another's: it must not be removed as the rest of ours.
        over = true;
        throw StorageFailure.exists("create", location, failure);
      }
      throw StorageFailure.ofWrite("end", location, 0, free, failure);
    }
  }

  /** S3A's exception for a conditional write that finds the name taken is not on our class path. */
  private static boolean isTaken(IOException failure) {
    return failure instanceof FileAlreadyExistsException
        || failure.getClass().getSimpleName().equals("RemoteFileChangedException");
  }

  @Override
  public void abort() throws IOException {
    if (over) {
      return;
    }
    over = true;
    try {
      CleanUp.run(this::giveUp);
    } catch (IOException failure) {
      throw new IOException(
          "Cannot remove the unfinished %s: %s. Remove it by hand."
              .formatted(location, failure.getMessage()),
          failure);
    }
  }

  private void giveUp() throws IOException {
    if (out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
      // Closing it would make an object of what was written so far.
      Abortable.AbortableResult result = out.abort();
      if (result.anyCleanupException() != null) {
        throw result.anyCleanupException();
      }
      return;
    }
    closeQuietlyAround(delete);
  }

  /**
   * HDFS: removed first, so that the half file is never a complete one; the close that frees the
   * client's lease then finds nothing to complete, and says so. Elsewhere a close may make the file
   * appear, so it is removed once more.
   */
  private void closeQuietlyAround(CleanUp.Step remove) throws IOException {
    remove.run();
    try {
      out.close();
    } catch (IOException expected) {
      return;
    }
    remove.run();
  }
}
