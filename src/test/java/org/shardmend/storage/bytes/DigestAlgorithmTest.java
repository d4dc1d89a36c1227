package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DigestAlgorithmTest {
  /** Values of the reference implementation, for byte i being (31 i + 7) mod 251. */
  @ParameterizedTest
  @CsvSource({
    "0,       99aa06d3014798d86001c324468d497f",
    "1,       495b62073ef70ca44c5cca45d0f4811f",
    "3,       46f66cb93538156515f7093b173d005c",
    "16,      da917c385cc874c00d463cb04ceffbaf",
    "128,     22c34350373a38ae5b77925b2c683a12",
    "240,     e29d70b8920fd24bc6ed4333f79384f8",
    "241,     f91b3cb8ed0fa91a07525dbc14902c7f",
    "1024,    f53a1b1e9f1efedfe2898655db7bc9ee",
    "1000003, aaa535a1dc7aea887b3986442546fd2e",
  })
  void xxh3IsTheReferencesCanonicalForm(int length, String expected) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ((31L * i + 7) % 251);
    }
    assertThat(DigestAlgorithm.XXH3_128.digest(bytes)).isEqualTo(expected);
  }

  @Test
  void sha256IsWhatEverybodyPrints() {
    assertThat(DigestAlgorithm.SHA_256.digest("abc".getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @Test
  void anAlgorithmIsFoundByItsLabel() {
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      assertThat(DigestAlgorithm.ofLabel(algorithm.label())).contains(algorithm);
    }
    assertThat(DigestAlgorithm.ofLabel("md5")).isEmpty();
  }

  /** {@code printf '%s\n' "$h" "$h" | xxhsum -H2}, h being the digest of abc. */
  @Test
  void aShardsDigestIsThatOfItsPartsDigests() {
    String part = DigestAlgorithm.XXH3_128.digest("abc".getBytes(StandardCharsets.US_ASCII));
    assertThat(part).isEqualTo("06b05ab6733a618578af5f94892f3950");
    ShardDigests digests = new ShardDigests(DigestAlgorithm.XXH3_128, part, List.of(part));
    assertThat(digests.shard()).isEqualTo("abbb885a86c54a0b17c37deac9db9f4a");
  }
}
