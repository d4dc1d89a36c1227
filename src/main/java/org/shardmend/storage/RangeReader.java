package org.shardmend.storage;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A file open for reading at any position. Not for several threads at once. */
public interface RangeReader extends Closeable {

  /** Where the file is; for messages. */
  Location location();

  /** The file's length as the status that it was opened by gave it, in bytes. */
  long size();

  /**
   * Reads at most {@code into.remaining()} bytes from {@code position}, at least one unless the
   * buffer is full or the file ends there.
   *
   * @param position bytes from the start of the file
   * @return the number of bytes read, or -1 at the end of the file
   * @throws java.nio.channels.ClosedByInterruptException when the thread is interrupted; not to be
   *     tried again
   * @throws IOException when the store can't read
   */
  int read(long position, ByteBuffer into) throws IOException;

  /**
   * Fills {@code into} from {@code position}.
   *
   * @throws EOFException when the file ends before the buffer is full
   * @throws IOException when the store can't read
   */
  default void readFully(long position, ByteBuffer into) throws IOException {
    long at = position;
    while (into.hasRemaining()) {
      int count = read(at, into);
      if (count < 0) {
        throw new EOFException(
            "%s ends at byte %d, but %d more were expected there."
                .formatted(location(), at, into.remaining()));
      }
      at += count;
    }
  }

  /**
   * Looks at the file once more, after reading.
   *
   * @throws SourceChangedException when it is no longer the file, the length and the time of last
   *     writing that the status it was opened by gave
   * @throws IOException when the store can't tell
   */
  void requireUnchanged() throws IOException;
}
