package org.shardmend.storage.bytes;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.SourceChangedException;

/**
 * Compares tensors byte by byte, with two small buffers. One comparer serves one thread, for any
 * number of tensors.
 */
public final class ByteComparer {
  private final Pace pace;
  private final ByteBuffer left = ByteBuffer.allocateDirect(PieceReader.PIECE_BYTES);
  private final ByteBuffer right = ByteBuffer.allocateDirect(PieceReader.PIECE_BYTES);

  /** A comparer that keeps to {@code pace}. */
  public ByteComparer(Pace pace) {
    this.pace = pace;
  }

  /**
   * Compares each of {@code others} with {@code first}. A range is read up to its first difference.
   * The result counts only when {@link RangeReader#requireUnchanged} still holds after the last
   * comparison of a file; that is the caller's to ask, once and not for each tensor.
   *
   * @param bytes the length of every range
   * @return for each of {@code others}, the first byte that differs, relative to the range's begin;
   *     empty when all are equal
   * @throws SourceChangedException when a file ends before its range does
   * @throws IOException when one can't be read
   */
  public List<OptionalLong> firstDifferences(ByteRange first, List<ByteRange> others, long bytes)
      throws IOException {
    List<OptionalLong> differences =
        new ArrayList<>(Collections.nCopies(others.size(), OptionalLong.empty()));
    for (long at = 0; at < bytes && hasEqual(differences); at += left.limit()) {
      fill(first, at, bytes, left);
      for (int i = 0; i < others.size(); i++) {
        if (differences.get(i).isEmpty()) {
          fill(others.get(i), at, bytes, right);
          int mismatch = left.mismatch(right);
          if (mismatch >= 0) {
            differences.set(i, OptionalLong.of(at + mismatch));
          }
        }
      }
    }
    return differences;
  }

  private static boolean hasEqual(List<OptionalLong> differences) {
    return differences.stream().anyMatch(OptionalLong::isEmpty);
  }

  private void fill(ByteRange range, long at, long bytes, ByteBuffer buffer) throws IOException {
    buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - at));
    PieceReader.fill(range.reader(), range.begin() + at, buffer);
    buffer.flip();
    pace.moved(buffer.limit());
  }
}
