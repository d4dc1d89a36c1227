package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartsInTurnTest {
  private static final byte[] IN_TURN = "aaabbbcccAAABBBCCC".getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 18})
  void eachPartIsDigestedAsIfItStoodAloneWhateverThePieces(int pieceBytes) {
    PartsInTurn digests = new PartsInTurn(DigestAlgorithm.XXH3_128, 3, 3);

    for (int at = 0; at < IN_TURN.length; at += pieceBytes) {
      int length = Math.min(pieceBytes, IN_TURN.length - at);
      digests.accept(ByteBuffer.wrap(IN_TURN, at, length).slice());
    }

    assertThat(digests.finish())
        .containsExactly(digest("aaaAAA"), digest("bbbBBB"), digest("cccCCC"));
  }

  private static String digest(String part) {
    return DigestAlgorithm.XXH3_128.digest(part.getBytes(StandardCharsets.US_ASCII));
  }
}
