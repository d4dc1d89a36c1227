package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.sidefile.HashKind;

class ContentKeyTest {

  @Test
  void aReadsShareOfTheSumIsTheFirstEightBytesOfItsHash() {
    // Python: int.from_bytes(hashlib.sha1(b"a.b:00ff").digest()[:8], "big")
    assertThat(Long.toUnsignedString(new ContentKey(HashKind.SHA1).checksumOf("a.b", "00ff")))
        .isEqualTo("1165694019678170931");
  }
}
