package org.shardmend.checkpoint.sidefile;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.TorchDtype;
import org.shardmend.safetensors.Shape;

/**
 * The hash of a presharded dump, in the making: of a tensor's content, which gives its key, or of a
 * name and a key, which gives a share of a rank's sum.
 *
 * <p>Source: SGLang's presharded loader.
 */
public interface KeyHash {

  /** A hash that has seen nothing yet. */
  static KeyHash start(HashKind kind) {
    return switch (kind) {
      case SHA1 -> new Sha1();
      case XXH3_128 -> new Xxh3();
    };
  }

  /**
   * The key of a tensor, before its bytes were taken in: over {@code str(shape tuple) + str(torch
   * dtype) + bytes}.
   *
   * @param torchDtype as Python prints it, {@link TorchDtype#nameOf}
   */
  static KeyHash ofTensor(HashKind kind, Shape shape, String torchDtype) {
    KeyHash hash = start(kind);
    byte[] text = (pythonTuple(shape) + torchDtype).getBytes(StandardCharsets.UTF_8);
    hash.put(text, 0, text.length);
    return hash;
  }

  /** The whole hash as a function. */
  static Function<byte[], byte[]> function(HashKind kind) {
    return bytes -> {
      KeyHash hash = start(kind);
      hash.put(bytes, 0, bytes.length);
      return hash.digest();
    };
  }

  /** As Python prints a tuple: {@code (2, 3)}, {@code (5,)}, {@code ()}. */
  private static String pythonTuple(Shape shape) {
    String inner =
        Arrays.stream(shape.toArray()).mapToObj(Long::toString).collect(Collectors.joining(", "));
    return shape.rank() == 1 ? "(" + inner + ",)" : "(" + inner + ")";
  }

  /** Takes in {@code length} bytes from {@code offset} on. */
  void put(byte[] bytes, int offset, int length);

  /** The digest in its canonical byte order; called once. */
  byte[] digest();

  /** SHA-1, of early builds. */
  final class Sha1 implements KeyHash {
    private final MessageDigest sha1;

    Sha1() {
      try {
        sha1 = MessageDigest.getInstance("SHA-1");
      } catch (NoSuchAlgorithmException impossible) {
        throw new AssertionError("Every Java platform has SHA-1.", impossible);
      }
    }

    @Override
    public void put(byte[] bytes, int offset, int length) {
      sha1.update(bytes, offset, length);
    }

    @Override
    public byte[] digest() {
      return sha1.digest();
    }
  }

  /** XXH3 of 128 bits, of merged builds. */
  final class Xxh3 implements KeyHash {
    private final HashStream128 xxh3 = Hashing.xxh3_128().hashStream();

    @Override
    public void put(byte[] bytes, int offset, int length) {
      xxh3.putBytes(bytes, offset, length);
    }

    @Override
    public byte[] digest() {
      HashValue128 hash = xxh3.get();
      return ByteBuffer.allocate(2 * Long.BYTES)
          .putLong(hash.getMostSignificantBits())
          .putLong(hash.getLeastSignificantBits())
          .array();
    }
  }
}
