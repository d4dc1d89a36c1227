package org.shardmend.plan.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.safetensors.Shape;

class LoaderContractTest {
  @Test
  void namesAreQuotedAsPythonQuotesThem() {
    assertThat(LoaderContract.keyError("a.weight")).isEqualTo("KeyError: 'a.weight'");
    assertThat(LoaderContract.keyError("it's")).isEqualTo("KeyError: \"it's\"");
    assertThat(LoaderContract.keyError("'\"")).isEqualTo("KeyError: '\\'\"'");
    assertThat(LoaderContract.keyError("a\n\\\u0000\u200e😀é"))
        .isEqualTo("KeyError: 'a\\n\\\\\\x00\\u200e😀é'");
  }

  @ParameterizedTest
  @EnumSource(Loader.class)
  void aParameterWithoutElementsIsMissedByStrictLoadersOfHuggingFaceAlone(Loader loader) {
    Map<String, ExpectedTensor> expected =
        Map.of("empty", ExpectedTensor.of("BF16", Shape.of(0, 16)));

    assertThat(LoaderContract.check(loader, UnitId.NONE, List.of(), expected).missing())
        .hasSize(loader == Loader.HUGGINGFACE ? 1 : 0);
  }

  @Test
  void oneMissingKeyIsATupleOfOne() {
    assertThat(LoaderContract.missingKeys(List.of("a")))
        .isEqualTo("ValueError: Missing keys ('a',) in loaded state!");
    assertThat(LoaderContract.missingKeys(List.of("a", "b")))
        .isEqualTo("ValueError: Missing keys ('a', 'b') in loaded state!");
  }
}
