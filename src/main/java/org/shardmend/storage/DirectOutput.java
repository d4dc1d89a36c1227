package org.shardmend.storage;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;

/**
 * Writes a file's whole blocks past the page cache (O_DIRECT), two buffers in turn: one is filled
 * while the medium takes the other. What was written is not in the cache, so that it costs no copy
 * there, pushes nothing out of it, and is read back from the medium.
 *
 * <p>Only aligned addresses, offsets and lengths can be written this way. The rest, at the end of
 * the file, is the caller's.
 */
final class DirectOutput implements Closeable {
  /** Shorter files are not worth two buffers. */
  static final long WORTHWHILE_BYTES = 16L << 20;

  /** Bytes written at once: where 2 MiB and 8 MiB were tried, they were no faster. */
  static final int BUFFER_BYTES = 4 << 20;

  /**
   * Kept from file to file: the memory of such buffers is given back only when the heap happens to
   * be cleaned up. As many as were ever in use at once.
   */
  private static final Queue<ByteBuffer> FREE = new ConcurrentLinkedQueue<>();

  /** So many at once that the buffers of all take an eighth of what the heap may, at most. */
  private static final Semaphore PERMITS =
      new Semaphore((int) Math.max(1, Runtime.getRuntime().maxMemory() / 8 / (2 * BUFFER_BYTES)));

  private final FileChannel channel;
  private final BackgroundWork beside = new BackgroundWork();
  private ByteBuffer filling;
  private ByteBuffer flushing;
  private long written;
  private volatile long landed;
  private boolean finished;
  private boolean closed;

  private DirectOutput(FileChannel channel, int blockBytes) {
    this.channel = channel;
    this.filling = buffer(blockBytes);
    this.flushing = buffer(blockBytes);
  }

  /**
   * Opens a file that exists and is empty; does nothing where its file system can't be written this
   * way, which some say at once and others only when it is tried, nor when many are open.
   */
  static Optional<DirectOutput> open(Path file) {
    if (!PERMITS.tryAcquire()) {
      return Optional.empty();
    }
    Optional<DirectOutput> output = openPermitted(file);
    if (output.isEmpty()) {
      PERMITS.release();
    }
    return output;
  }

  private static Optional<DirectOutput> openPermitted(Path file) {
    try {
      long blockBytes = Files.getFileStore(file).getBlockSize();
      if (blockBytes <= 0 || BUFFER_BYTES % blockBytes != 0) {
        return Optional.empty();
      }
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT);
      if (canWrite(channel, (int) blockBytes)) {
        return Optional.of(new DirectOutput(channel, (int) blockBytes));
      }
      channel.close();
      return Optional.empty();
    } catch (IOException | UnsupportedOperationException notHere) {
      return Optional.empty();
    }
  }

  /** Writes one block, and takes it back. */
  private static boolean canWrite(FileChannel channel, int blockBytes) {
    ByteBuffer buffer = buffer(blockBytes);
    try {
      boolean written = channel.write(buffer.limit(blockBytes), 0) == blockBytes;
      channel.truncate(0);
      return written;
    } catch (IOException refused) {
      return false;
    } finally {
      FREE.add(buffer);
    }
  }

  private static ByteBuffer buffer(int blockBytes) {
    ByteBuffer kept = FREE.poll();
    return kept != null && kept.alignmentOffset(0, blockBytes) == 0
        ? kept.clear()
        : ByteBuffer.allocateDirect(BUFFER_BYTES + blockBytes)
            .alignedSlice(blockBytes)
            .slice(0, BUFFER_BYTES);
  }

  /**
   * Takes all remaining bytes.
   *
   * @throws java.nio.channels.ClosedByInterruptException when the thread is interrupted
   * @throws IOException when these or earlier ones can't be written
   */
  void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      int count = Math.min(bytes.remaining(), filling.remaining());
      filling.put(bytes.slice(bytes.position(), count));
      bytes.position(bytes.position() + count);
      if (!filling.hasRemaining()) {
        flush();
      }
    }
  }

  private void flush() throws IOException {
    beside.await();
    ByteBuffer full = filling.flip();
    filling = flushing.clear();
    flushing = full;
    long begin = written;
    written += full.limit();
    beside.start(() -> writeAt(full, begin));
  }

  private void writeAt(ByteBuffer bytes, long begin) throws IOException {
    long at = begin;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
      landed = at;
    }
  }

  /**
   * Ends writing.
   *
   * @return the bytes that follow after {@link #written()}, valid until this is closed
   * @throws IOException as {@link #write}
   */
  ByteBuffer finish() throws IOException {
    beside.await();
    finished = true;
    return filling.flip();
  }

  /** How many bytes were taken and are not in the file. */
  long pending() {
    return finished ? filling.remaining() : written + filling.position() - landed;
  }

  /** How many bytes were written, from the start of the file. */
  long written() {
    return written;
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    channel.close();
    beside.settle();
    FREE.add(filling);
    FREE.add(flushing);
    PERMITS.release();
  }
}
