package org.shardmend.checkpoint.sidefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.shardmend.safetensors.Shape;

class KeyHashTest {
  private static final byte[] DATA = HexFormat.of().parseHex("e0b4c6892db18b4e39652694b3b175fa");

  private static String keyOf(HashKind kind) {
    byte[] text = "(4,)torch.float32".getBytes(StandardCharsets.UTF_8);
    KeyHash hash = KeyHash.start(kind);
    hash.put(text, 0, text.length);
    hash.put(DATA, 0, DATA.length);
    return HexFormat.of().formatHex(hash.digest());
  }

  private static String keyOfNothing(Shape shape) {
    return HexFormat.of()
        .formatHex(KeyHash.ofTensor(HashKind.SHA1, shape, "torch.float32").digest());
  }

  private static String sha1(String text) {
    byte[] digest = KeyHash.function(HashKind.SHA1).apply(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  @Test
  void shapesAreTakenInAsPythonPrintsTuples() {
    assertThat(keyOfNothing(Shape.of())).isEqualTo(sha1("()torch.float32"));
    assertThat(keyOfNothing(Shape.of(5))).isEqualTo(sha1("(5,)torch.float32"));
    assertThat(keyOfNothing(Shape.of(2, 64))).isEqualTo(sha1("(2, 64)torch.float32"));
    assertThat(keyOfNothing(Shape.of(4, 1, 1))).isEqualTo(sha1("(4, 1, 1)torch.float32"));
  }

  @Test
  void xxh3KeysAreCanonicalAsInADumpOfSglang() {
    assertThat(keyOf(HashKind.XXH3_128)).isEqualTo("7a5e47f94fc66a85d85014bbe9535662");
  }

  @Test
  void sha1KeysAreThoseOfPythonsHashlib() {
    assertThat(keyOf(HashKind.SHA1)).isEqualTo("6eccaf08431d336d6e0cdcc00fabf7158af36b7c");
  }
}
