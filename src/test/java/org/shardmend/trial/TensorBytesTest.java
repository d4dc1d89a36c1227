package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.shardmend.safetensors.Shape;
import org.shardmend.trial.TrialTensor.Copies;

class TensorBytesTest {
  private static final long SEED = 7;

  private static TrialTensor tensor(String content, ElementType type, Copies copies, long length) {
    return new TrialTensor("name", type, Shape.of(length), copies, content);
  }

  private static byte[] all(TrialTensor tensor, long seed, int tp) {
    byte[] bytes = new byte[Math.toIntExact(tensor.bytes())];
    TensorBytes.of(seed, tensor, tp).fill(0, bytes, 0, bytes.length);
    return bytes;
  }

  @Property(tries = 200)
  void anyDivisionAtMultiplesOfEightGivesTheSameBytes(
      @ForAll @IntRange(min = 0, max = 300) int length,
      @ForAll @IntRange(min = 8, max = 100) int room) {
    TrialTensor tensor = tensor("t", ElementType.F8_E4M3, Copies.SHARDED, length);
    byte[] pieces = new byte[length];
    int done = 0;
    while (done < length) {
      int step = TensorBytes.step(length - done, room);
      TensorBytes.of(SEED, tensor, 0).fill(done, pieces, done, step);
      done += step;
    }
    assertThat(pieces).isEqualTo(all(tensor, SEED, 0));
  }

  @Test
  void aShorterTensorIsAPrefixSoTheLastBytesAreNoPadding() {
    byte[] ten = all(tensor("t", ElementType.F8_E4M3, Copies.SHARDED, 10), SEED, 0);
    byte[] sixteen = all(tensor("t", ElementType.F8_E4M3, Copies.SHARDED, 16), SEED, 0);
    assertThat(sixteen).startsWith(ten);
  }

  @Test
  void contentSeedAndRankEachChangeTheBytes() {
    TrialTensor tensor = tensor("a", ElementType.BF16, Copies.SHARDED, 64);
    assertThat(all(tensor, SEED, 0))
        .isNotEqualTo(all(tensor("b", ElementType.BF16, Copies.SHARDED, 64), SEED, 0))
        .isNotEqualTo(all(tensor, SEED + 1, 0))
        .isNotEqualTo(all(tensor, SEED, 1));
  }

  @Test
  void replicatedTensorsAreEqualOnAllRanks() {
    TrialTensor tensor = tensor("a", ElementType.BF16, Copies.REPLICATED, 64);
    assertThat(all(tensor, SEED, 0)).isEqualTo(all(tensor, SEED, 15));
  }

  @Test
  void floatsAreFiniteAndNotAllZero() {
    byte[] bytes = all(tensor("a", ElementType.F32, Copies.SHARDED, 10_000), SEED, 0);
    ByteBuffer floats = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    double sum = 0;
    while (floats.hasRemaining()) {
      float value = floats.getFloat();
      assertThat(value).isFinite().isBetween(-2f, 2f);
      sum += Math.abs(value);
    }
    assertThat(sum).isPositive();
  }
}
