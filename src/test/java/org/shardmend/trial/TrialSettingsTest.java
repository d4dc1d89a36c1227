package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.layout.Layout;

class TrialSettingsTest {

  private static void assertRefused(TrialSettings.Builder settings, String... parts) {
    assertThatThrownBy(settings::build)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(parts);
  }

  private static TrialSettings.Builder settings() {
    return TrialSettings.builder();
  }

  @Test
  void theDefaultsAreValid() {
    assertThat(settings().build().fault()).isEqualTo(Fault.ALIAS_ONLY);
  }

  @Test
  void numbersArePositive() {
    assertRefused(settings().tp(0), "tp", "0");
    assertRefused(settings().pp(-1), "pp", "-1");
    assertRefused(settings().ep(0), "ep");
    assertRefused(settings().layers(0), "layers");
    assertRefused(settings().bytes(0), "bytes");
    assertRefused(settings().maxShardBytes(0), "max-shard-bytes");
  }

  @Test
  void expertParallelRanksDivideTheTensorParallelOnes() {
    assertRefused(settings().tp(4).ep(3), "ep 3", "tp 4");
  }

  @Test
  void aHuggingFaceCheckpointHasOneRank() {
    assertRefused(settings().layout(Layout.HUGGINGFACE).tp(2), "huggingface", "2");
  }

  @Test
  void whatNeedsDataIsNotSparse() {
    assertRefused(settings().layout(Layout.PRESHARDED).sparse(true), "presharded", "sparse");
    assertRefused(settings().fault(Fault.BOTH_DIFFER).sparse(true), "both-differ", "sparse");
  }

  @Test
  void onlySglangDumpsPresharded() {
    assertRefused(settings().layout(Layout.PRESHARDED).engine(Engine.VLLM), "vllm");
  }

  @Test
  void aFaultNeedsALayerWithAnAlias() {
    assertRefused(settings().layers(3), "alias-only", "3 layers", "at least 4");
    assertThat(settings().layers(3).fault(Fault.CLEAN).build().layers()).isEqualTo(3);
    assertThat(settings().layers(1).hybrid(false).build().layers()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void aFaultIsFoundByTheNameOnTheCommandLine(Fault fault) {
    assertThat(Fault.of(fault.id())).contains(fault);
    assertThat(Fault.of(fault.id() + "x")).isEmpty();
  }
}
