package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Names are printed so that they cannot harm the line they are on. */
class DisplayNameTest {
  @Test
  void ordinaryNamesAreQuoted() {
    assertThat(DisplayName.of("model.layers.3.weight é 日 😀"))
        .isEqualTo("'model.layers.3.weight é 日 😀'");
  }

  @Test
  void whatIsNotVisibleIsEscaped() {
    assertThat(DisplayName.of("a\nb\0c\u001b[31m\u202ed\u2028\\\ud800"))
        .isEqualTo("'a\\u000ab\\u0000c\\u001b[31m\\u202ed\\u2028\\\\\\ud800'");
  }

  @Test
  void longNamesAreCutBetweenCharacters() {
    assertThat(DisplayName.of("a".repeat(100_000)))
        .isEqualTo("'" + "a".repeat(200) + "…' (100000 characters)");
    assertThat(DisplayName.of("a" + "😀".repeat(200)))
        .isEqualTo("'a" + "😀".repeat(99) + "…' (401 characters)");
  }
}
