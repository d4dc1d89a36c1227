package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardmend.storage.MemoryReader;
import org.shardmend.storage.SourceChangedException;

class ByteComparerTest {
  private static final int PIECE = PieceReader.PIECE_BYTES;

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  @Property(tries = 100)
  void theFirstDifferenceIsFoundWhereverItIs(
      @ForAll @IntRange(min = 1, max = 3 * PIECE) int length,
      @ForAll @IntRange(max = 100) int begin,
      @ForAll Random random)
      throws IOException {
    byte[] file = random(begin + 2 * length);
    System.arraycopy(file, begin, file, begin + length, length);
    MemoryReader same = new MemoryReader(file, 100_000);
    ByteRange first = new ByteRange(same, begin);
    ByteRange second = new ByteRange(same, begin + length);

    byte[] other = file.clone();
    int at = random.nextInt(length);
    other[begin + at] ^= 1;
    if (random.nextBoolean()) {
      other[begin + length - 1] ^= 2;
    }
    ByteRange different = new ByteRange(new MemoryReader(other, 70_000), begin);

    assertThat(
            new ByteComparer(Pace.unlimited())
                .firstDifferences(first, List.of(second, different), length))
        .containsExactly(OptionalLong.empty(), OptionalLong.of(at));
  }

  @Test
  void nothingIsReadBehindADifference() throws IOException {
    byte[] bytes = random(10 * PIECE);
    byte[] other = bytes.clone();
    other[0] ^= 1;
    MemoryReader left = new MemoryReader(bytes, PIECE);
    MemoryReader right = new MemoryReader(other, PIECE);
    List<Long> moved = new ArrayList<>();
    assertThat(
            new ByteComparer(new Pace(RateLimiter.none(), moved::add))
                .firstDifferences(
                    new ByteRange(left, 0), List.of(new ByteRange(right, 0)), bytes.length))
        .containsExactly(OptionalLong.of(0));
    assertThat(left.bytesRead()).isEqualTo(PIECE);
    assertThat(right.bytesRead()).isEqualTo(PIECE);
    assertThat(moved).containsExactly((long) PIECE, (long) PIECE);
  }

  @Test
  void emptyRangesAreEqual() throws IOException {
    ByteRange range = new ByteRange(new MemoryReader(new byte[0], 1), 0);
    assertThat(new ByteComparer(Pace.unlimited()).firstDifferences(range, List.of(range), 0))
        .containsExactly(OptionalLong.empty());
  }

  @Test
  void aFileThatEndsTooEarlyHasChanged() {
    ByteRange whole = new ByteRange(new MemoryReader(new byte[10], 4), 0);
    ByteRange cut = new ByteRange(new MemoryReader(new byte[9], 4), 0);
    assertThatThrownBy(
            () -> new ByteComparer(Pace.unlimited()).firstDifferences(whole, List.of(cut), 10))
        .isInstanceOf(SourceChangedException.class)
        .hasMessageContaining("byte 9");
  }
}
