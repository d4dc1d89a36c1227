package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.HashKind;
import org.shardmend.safetensors.Shape;

class ContentKeyTest {

  @Test
  void tuplesArePrintedAsPythonDoes() {
    assertThat(ContentKey.pythonTuple(Shape.of())).isEqualTo("()");
    assertThat(ContentKey.pythonTuple(Shape.of(5))).isEqualTo("(5,)");
    assertThat(ContentKey.pythonTuple(Shape.of(2, 64))).isEqualTo("(2, 64)");
    assertThat(ContentKey.pythonTuple(Shape.of(4, 1, 1))).isEqualTo("(4, 1, 1)");
  }

  @Test
  void aReadsShareOfTheSumIsTheFirstEightBytesOfItsHash() {
    // Python: int.from_bytes(hashlib.sha1(b"a.b:00ff").digest()[:8], "big")
    assertThat(Long.toUnsignedString(new ContentKey(HashKind.SHA1).checksumOf("a.b", "00ff")))
        .isEqualTo("1165694019678170931");
  }
}
