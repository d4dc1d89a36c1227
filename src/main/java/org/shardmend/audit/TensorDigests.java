package org.shardmend.audit;

import java.io.Serializable;

/**
 * Digests of one tensor's bytes. A digest is there only when the bytes were read.
 *
 * @param algorithm {@code xxh3-128} or {@code sha256}; empty when no bytes were read
 * @param source of the bytes in the source, in lower-case hex digits; empty when they were not read
 * @param target of the bytes read back from the target, in lower-case hex digits; empty when they
 *     were not read back
 */
public record TensorDigests(String algorithm, String source, String target)
    implements Serializable {
  /** No bytes were read. */
  public static final TensorDigests NONE = new TensorDigests("", "", "");
}
