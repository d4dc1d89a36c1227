package org.shardmend.trial;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.KeyHash;

/**
 * A presharded dump's keys and sums, by the formula of SGLang: a tensor's key is the hash over
 * {@code str(shape tuple) + str(torch dtype) + bytes}.
 */
final class ContentKey {
  private static final int BUFFER_BYTES = 256 * 1024;

  private final HashKind kind;
  private final byte[] buffer = new byte[BUFFER_BYTES];

  ContentKey(HashKind kind) {
    this.kind = kind;
  }

  /** The key of a tensor with these bytes, in hexadecimal digits. */
  String of(TrialTensor tensor, TensorBytes data) {
    KeyHash hash = KeyHash.ofTensor(kind, tensor.shape(), tensor.type().torchName());
    long bytes = tensor.bytes();
    long done = 0;
    while (done < bytes) {
      int step = TensorBytes.step(bytes - done, BUFFER_BYTES);
      data.fill(done, buffer, 0, step);
      hash.put(buffer, 0, step);
      done += step;
    }
    return HexFormat.of().formatHex(hash.digest());
  }

  /** What one read adds to its rank's checksum, modulo 2^64. */
  long checksumOf(String name, String storedKey) {
    KeyHash hash = KeyHash.start(kind);
    put(hash, name + ":" + storedKey);
    return ByteBuffer.wrap(hash.digest()).getLong();
  }

  private static void put(KeyHash hash, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    hash.put(bytes, 0, bytes.length);
  }
}
