package org.shardmend.storage.bytes;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** How bytes are digested. A digest is written in lower-case hex digits. */
public enum DigestAlgorithm {
  /**
   * The 128-bit XXH3, without a seed, in its canonical form: big-endian, as {@code xxhsum -H2}
   * prints it. Fast; it tells accidents, not attacks.
   */
  XXH3_128("xxh3-128") {
    @Override
    ByteDigest start() {
      return new Xxh3();
    }
  },
  /** SHA-256, as {@code sha256sum} prints it. */
  SHA_256("sha256") {
    @Override
    ByteDigest start() {
      return new Sha256();
    }
  };

  private final String label;

  DigestAlgorithm(String label) {
    this.label = label;
  }

  /** The name in options, documents and tables. */
  public String label() {
    return label;
  }

  /** The algorithm of this label. */
  public static Optional<DigestAlgorithm> ofLabel(String label) {
    return Arrays.stream(values()).filter(a -> a.label.equals(label)).findFirst();
  }

  /** The digest of these bytes. */
  public String digest(byte[] bytes) {
    ByteDigest digest = start();
    digest.update(bytes, 0, bytes.length);
    return digest.finish();
  }

  /** A digest of no bytes yet. */
  abstract ByteDigest start();

  /** A digest being built. */
  interface ByteDigest {
    /** Takes in {@code length} bytes from {@code offset} on. */
    void update(byte[] bytes, int offset, int length);

    /** The digest of all bytes since the start or the last call; the next begins with none. */
    String finish();
  }

  private static final class Xxh3 implements ByteDigest {
    private static final HexFormat HEX = HexFormat.of();

    private final HashStream128 stream = Hashing.xxh3_128().hashStream();

    @Override
    public void update(byte[] bytes, int offset, int length) {
      stream.putBytes(bytes, offset, length);
    }

    @Override
    public String finish() {
      HashValue128 value = stream.get();
      stream.reset();
      return HEX.toHexDigits(value.getMostSignificantBits())
          + HEX.toHexDigits(value.getLeastSignificantBits());
    }
  }

  private static final class Sha256 implements ByteDigest {
    private final MessageDigest digest = sha256();

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException impossible) {
        throw new IllegalStateException("Every Java platform has SHA-256.", impossible);
      }
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
      digest.update(bytes, offset, length);
    }

    @Override
    public String finish() {
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
