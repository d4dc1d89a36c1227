package org.shardmend.storage;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A new file being written from its start to its end. It counts only after {@link #complete()}: a
 * writer that is closed without it leaves nothing behind, so that a {@code try} block does the
 * right thing when it is left by an exception.
 */
public interface ShardWriter extends Closeable {

  /** Where the file is going to be; for messages. */
  Location location();

  /** How many bytes were written so far. */
  long position();

  /**
   * Writes all remaining bytes of {@code bytes}.
   *
   * @throws NoSpaceException when the store is full
   * @throws java.nio.channels.ClosedByInterruptException when the thread is interrupted; not to be
   *     tried again
   * @throws IOException when the store can't write; the writer can then only be closed
   */
  void write(ByteBuffer bytes) throws IOException;

  /**
   * Appends bytes of {@code source} without passing them through this process, if these two can.
   *
   * @param begin bytes from the start of the source
   * @param bytes how many at most
   * @return how many were appended; 0 when these two can't, or the source ends at {@code begin}:
   *     reading and {@link #write} is the way then
   * @throws IOException as {@link #write}
   */
  default long transferFrom(RangeReader source, long begin, long bytes) throws IOException {
    return 0;
  }

  /**
   * Makes what was written durable, where the store can. An object store does nothing here, and all
   * in {@link #complete()}.
   *
   * @throws NoSpaceException when the store is full, which some find out only now
   * @throws java.io.SyncFailedException when the sync fails, which is final: what the medium holds
   *     is then unknown
   * @throws IOException when the store can't be asked
   */
  void sync() throws IOException;

  /**
   * Ends the file; only now is it what it was meant to be. Writing is over afterwards.
   *
   * @throws IOException when the store can't; nothing remains then
   */
  void complete() throws IOException;

  /**
   * What is left to be done by the driver, after {@link #complete()}, so that the file becomes
   * visible; {@link PendingUpload#NONE} where it is.
   *
   * @throws IllegalStateException before {@link #complete()}, where something is left
   */
  default PendingUpload pending() {
    return PendingUpload.NONE;
  }

  /**
   * Gives the file up, if it was not completed: nothing of it stays visible. Works in an
   * interrupted thread, too.
   *
   * @throws IOException when the rest can't be removed; the message says what to remove by hand
   */
  void abort() throws IOException;

  /** Aborts, unless the file was completed. */
  @Override
  default void close() throws IOException {
    abort();
  }
}
