package org.shardmend.storage.bytes;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.bytes.DigestAlgorithm.ByteDigest;

/** Digests parts of known lengths that come one after the other, in pieces of any size. */
final class PartDigests {
  private final long[] lengths;
  private final ByteDigest digest;
  private final List<String> digests = new ArrayList<>();

  /** hash4j and the JDK take arrays only; a piece is copied here while it is in the cache. */
  private final byte[] piece = new byte[PieceReader.PIECE_BYTES];

  /** What is missing of the part being digested. */
  private long open;

  PartDigests(DigestAlgorithm algorithm, long... lengths) {
    this.lengths = lengths;
    this.digest = algorithm.start();
    begin();
  }

  static PartDigests ofTensors(DigestAlgorithm algorithm, List<TensorEntry> tensors) {
    return new PartDigests(algorithm, tensors.stream().mapToLong(TensorEntry::bytes).toArray());
  }

  /** Takes in {@code bytes}, at most a piece, and leaves the buffer's position as it is. */
  void accept(ByteBuffer bytes) {
    int count = bytes.remaining();
    bytes.get(bytes.position(), piece, 0, count);
    int at = 0;
    while (at < count) {
      if (open == 0) {
        throw new IllegalStateException("There are more bytes than the parts have.");
      }
      int share = (int) Math.min(open, count - at);
      digest.update(piece, at, share);
      at += share;
      open -= share;
      if (open == 0) {
        end();
      }
    }
  }

  /** Begins the next part that has bytes; those without are digested on the way. */
  private void begin() {
    while (digests.size() < lengths.length) {
      open = lengths[digests.size()];
      if (open > 0) {
        return;
      }
      digests.add(digest.finish());
    }
  }

  private void end() {
    digests.add(digest.finish());
    begin();
  }

  /** The parts' digests, in order. */
  List<String> finish() {
    if (digests.size() < lengths.length) {
      throw new IllegalStateException(
          "%d bytes of part %d are missing.".formatted(open, digests.size()));
    }
    return digests;
  }
}
