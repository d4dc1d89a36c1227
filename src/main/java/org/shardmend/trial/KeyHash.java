package org.shardmend.trial;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.shardmend.checkpoint.HashKind;

/** The hash of a presharded dump, in the making. */
interface KeyHash {

  /** A hash that has seen nothing yet. */
  static KeyHash start(HashKind kind) {
    return switch (kind) {
      case SHA1 -> new Sha1();
      case XXH3_128 -> new Xxh3();
    };
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
