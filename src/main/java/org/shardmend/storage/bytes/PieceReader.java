package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.SourceChangedException;

/**
 * Reads ranges of any length through one small buffer.
 *
 * <p>The buffer is a direct one, and small enough for the processor's cache: measured in processor
 * time on two cores, reading and digesting took half as much as with heap buffers, which the JDK
 * fills through a direct one of its own, and at 512 KiB the advantage was gone.
 */
final class PieceReader {
  static final int PIECE_BYTES = 256 * 1024;

  /**
   * What the kernel is asked to move at once; small, so that a rate limit doesn't come in bursts.
   */
  private static final int TRANSFER_BYTES = 1024 * 1024;

  /** Where the pieces go. */
  @FunctionalInterface
  interface Sink {
    /** Takes all of {@code piece}, which is valid during the call. */
    void accept(ByteBuffer piece) throws IOException;
  }

  private final Pace pace;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(PIECE_BYTES);

  PieceReader(Pace pace) {
    this.pace = pace;
  }

  /**
   * Passes the bytes from {@code begin} to {@code end} to {@code sink}, in order.
   *
   * @throws SourceChangedException when the file ends before
   */
  void read(RangeReader source, long begin, long end, Sink sink) throws IOException {
    long at = begin;
    while (at < end) {
      ByteBuffer piece = piece(source, at, end);
      long count = piece.remaining();
      sink.accept(piece);
      pace.moved(count);
      at += count;
    }
  }

  /** The next piece from {@code begin} on: valid until the next call. */
  private ByteBuffer piece(RangeReader source, long begin, long end) throws IOException {
    buffer.clear().limit((int) Math.min(buffer.capacity(), end - begin));
    fill(source, begin, buffer);
    return buffer.flip();
  }

  /** Fills {@code piece} from {@code begin} on. */
  static void fill(RangeReader source, long begin, ByteBuffer piece) throws IOException {
    long at = begin;
    while (piece.hasRemaining()) {
      int count = source.read(at, piece);
      if (count < 0) {
        throw SourceChangedException.ended(source, at);
      }
      at += count;
    }
  }

  /**
   * Writes the bytes from {@code begin} to {@code end} to {@code target}, past this process where
   * the two ends allow it.
   *
   * @throws SourceChangedException when the file ends before
   */
  void copy(RangeReader source, long begin, long end, ShardWriter target) throws IOException {
    long at = begin;
    while (at < end) {
      long count = target.transferFrom(source, at, Math.min(TRANSFER_BYTES, end - at));
      if (count == 0) {
        read(source, at, end, target::write);
        return;
      }
      pace.moved(count);
      at += count;
    }
  }
}
