package org.shardmend.checkpoint.sidefile;

import java.util.Optional;

/**
 * The hash of a presharded dump, in its content keys and its rank checksums alike. Nothing in the
 * dump names it; the length of the keys tells.
 */
public enum HashKind {
  /** SHA-1, in early builds. */
  SHA1(40),
  /** XXH3-128 in its canonical, big-endian form, in merged builds. */
  XXH3_128(32);

  private final int hexDigits;

  HashKind(int hexDigits) {
    this.hexDigits = hexDigits;
  }

  /** Length of a digest in hexadecimal digits. */
  public int hexDigits() {
    return hexDigits;
  }

  /** The hash whose digests have that many hexadecimal digits. */
  public static Optional<HashKind> ofHexDigits(int digits) {
    for (HashKind kind : values()) {
      if (kind.hexDigits == digits) {
        return Optional.of(kind);
      }
    }
    return Optional.empty();
  }
}
