package org.shardmend.storage.bytes;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, as lower-case hexadecimal digits. */
public final class Sha256 {
  private Sha256() {}

  /** A digest to be fed piece by piece. */
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("Every Java platform must have SHA-256.", missing);
    }
  }

  /** The digest of what was fed; starts anew. */
  public static String end(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The digest of these bytes. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(start().digest(bytes));
  }
}
