package org.shardmend.storage.bytes;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The digests of one shard's parts.
 *
 * @param algorithm of all of them
 * @param header of the 8 + N bytes before the data section
 * @param tensors of each tensor's bytes, in offset order
 */
public record ShardDigests(DigestAlgorithm algorithm, String header, List<String> tensors)
    implements Serializable {

  /** Takes a copy of the list. */
  public ShardDigests {
    tensors = List.copyOf(tensors);
  }

  /**
   * The whole shard's digest: that of the header's digest and the tensors' digests, each in hex
   * digits and followed by a line feed. It comes out the same however the work was split, and
   * {@code printf '%s\n' HEADER TENSOR... | xxhsum -H2} gives it too.
   */
  public String shard() {
    DigestAlgorithm.ByteDigest digest = algorithm.start();
    update(digest, header);
    tensors.forEach(tensor -> update(digest, tensor));
    return digest.finish();
  }

  private static void update(DigestAlgorithm.ByteDigest digest, String part) {
    byte[] line = (part + "\n").getBytes(StandardCharsets.US_ASCII);
    digest.update(line, 0, line.length);
  }
}
