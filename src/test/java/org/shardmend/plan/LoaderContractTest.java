package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoaderContractTest {
  @Test
  void namesAreQuotedAsPythonQuotesThem() {
    assertThat(LoaderContract.keyError("a.weight")).isEqualTo("KeyError: 'a.weight'");
    assertThat(LoaderContract.keyError("it's")).isEqualTo("KeyError: \"it's\"");
    assertThat(LoaderContract.keyError("'\"")).isEqualTo("KeyError: '\\'\"'");
    assertThat(LoaderContract.keyError("a\n\\\u0000\u200e😀é"))
        .isEqualTo("KeyError: 'a\\n\\\\\\x00\\u200e😀é'");
  }

  @Test
  void oneMissingKeyIsATupleOfOne() {
    assertThat(LoaderContract.missingKeys(List.of("a")))
        .isEqualTo("ValueError: Missing keys ('a',) in loaded state!");
    assertThat(LoaderContract.missingKeys(List.of("a", "b")))
        .isEqualTo("ValueError: Missing keys ('a', 'b') in loaded state!");
  }
}
