package org.shardmend.checkpoint;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of documents and headers, in hexadecimal. */
public final class Sha256 {
  private Sha256() {}

  /** The digest of the first {@code length} bytes. */
  public static String hex(byte[] bytes, int length) {
    try {
      MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
      sha256.update(bytes, 0, length);
      return HexFormat.of().formatHex(sha256.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
  }
}
