package org.shardmend.trial;

import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The bytes of one tensor on one rank: a pseudo-random sequence that can be had from any multiple
 * of 8 bytes on, so that tensors of any size are made with one small buffer.
 *
 * <p>The sequence is SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014) over a counter. One bit of every element's exponent is cleared, so that floats
 * are finite.
 */
final class TensorBytes {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

  private final long start;
  private final long mask;

  private TensorBytes(long start, long mask) {
    this.start = start;
    this.mask = mask;
  }

  /** The bytes of {@code tensor} as rank {@code tp} holds them. */
  static TensorBytes of(long seed, TrialTensor tensor, int tp) {
    long start =
        Hashing.xxh3_64(seed)
            .hashStream()
            .putString(tensor.content())
            .putInt(tensor.copies().owner(tp))
            .getAsLong();
    return new TensorBytes(start, tensor.type().finiteMask());
  }

  /**
   * Writes {@code length} bytes of the tensor, from its byte {@code position} on, into {@code
   * target} at {@code offset}.
   *
   * @param position a multiple of 8
   */
  void fill(long position, byte[] target, int offset, int length) {
    long counter = start + (position / Long.BYTES) * GOLDEN_GAMMA;
    int whole = length - length % Long.BYTES;
    for (int done = 0; done < whole; done += Long.BYTES) {
      counter += GOLDEN_GAMMA;
      LONGS.set(target, offset + done, mix(counter) & mask);
    }
    long last = mix(counter + GOLDEN_GAMMA) & mask;
    for (int done = whole; done < length; done++) {
      target[offset + done] = (byte) last;
      last >>>= Byte.SIZE;
    }
  }

  /**
   * How much to {@link #fill} at once: all that remains, or what fits and ends at a multiple of 8.
   */
  static int step(long remaining, int room) {
    return (int) Math.min(remaining, room - room % Long.BYTES);
  }

  private static long mix(long counter) {
    long first = (counter ^ (counter >>> 30)) * 0xBF58476D1CE4E5B9L;
    long second = (first ^ (first >>> 27)) * 0x94D049BB133111EBL;
    return second ^ (second >>> 31);
  }
}
