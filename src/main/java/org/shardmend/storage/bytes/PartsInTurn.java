package org.shardmend.storage.bytes;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.shardmend.storage.bytes.DigestAlgorithm.ByteDigest;

/** Digests parts that take turns, in runs of one length, in pieces of any size. */
final class PartsInTurn {
  private final List<ByteDigest> digests;
  private final long runBytes;
  private final byte[] piece = new byte[PieceReader.PIECE_BYTES];
  private int turn;

  /** What is missing of the run being digested. */
  private long open;

  PartsInTurn(DigestAlgorithm algorithm, int parts, long runBytes) {
    this.digests = Stream.generate(algorithm::start).limit(parts).toList();
    this.runBytes = runBytes;
    this.open = runBytes;
  }

  /** Takes in {@code bytes}, at most a piece. */
  void accept(ByteBuffer bytes) {
    int count = bytes.remaining();
    bytes.get(bytes.position(), piece, 0, count);
    int at = 0;
    while (at < count) {
      int share = (int) Math.min(open, count - at);
      digests.get(turn).update(piece, at, share);
      at += share;
      open -= share;
      if (open == 0) {
        turn = (turn + 1) % digests.size();
        open = runBytes;
      }
    }
  }

  /** The parts' digests, in order. */
  List<String> finish() {
    return digests.stream().map(ByteDigest::finish).toList();
  }
}
