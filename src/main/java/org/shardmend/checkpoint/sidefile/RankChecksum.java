package org.shardmend.checkpoint.sidefile;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/**
 * The sum by which a loader checks what one rank read from a presharded dump.
 *
 * <p>Source: SGLang's presharded loader. The sum modulo 2^64, over the rank's reads, of the first 8
 * bytes, big-endian, of {@code hash(name + ":" + stored_key)}; written as 16 hexadecimal digits.
 */
public final class RankChecksum {
  private RankChecksum() {}

  /**
   * The sum over {@code reads}, in any order.
   *
   * @param hash gives a digest of at least 8 bytes; the dump's {@link ChecksumJson#hash()}
   */
  public static String of(Function<byte[], byte[]> hash, List<PreshardedRead> reads) {
    long sum = 0;
    for (PreshardedRead read : reads) {
      byte[] text = (read.name() + ":" + read.storedKey()).getBytes(StandardCharsets.UTF_8);
      sum += ByteBuffer.wrap(hash.apply(text)).getLong();
    }
    return String.format("%016x", sum);
  }
}
