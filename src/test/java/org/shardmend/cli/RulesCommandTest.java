package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.rules.BuiltinRules;

class RulesCommandTest {
  private static final int TERMINAL = 100;

  @Test
  void theListHasALineAFamilyThatFitsATerminal() {
    List<String> lines = CommandRun.of("rules").out().lines().toList();

    assertThat(lines)
        .contains(
            "mla-kv-b-proj                    attn_mha.kv_b_proj → kv_b_proj   (active by default)")
        .contains("linear-attention-long            dt_bias → attn.dt_bias")
        .allSatisfy(line -> assertThat(line.length()).as(line).isLessThanOrEqualTo(TERMINAL));
    assertThat(lines).hasSize(BuiltinRules.all().size() + 2);
  }

  @Test
  void aFamilyIsToldOfWithItsRulesAndAnExampleOfEach() {
    CommandRun run = CommandRun.of("rules", "moe-correction-bias");

    assertThat(run.exit()).isZero();
    assertThat(run.out())
        .startsWith("moe-correction-bias")
        .contains("Saved by: vLLM", "  from  ", "  to    ")
        .contains("     →  model.layers.4.mlp.gate.e_score_correction_bias");
  }

  @Test
  void aNameThatIsNoFamilyIsWrongUse() {
    CommandRun run = CommandRun.of("rules", "moe-correction");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("neither a built-in rule family nor a file");
  }

  @Test
  void aFamilyIsToldOfOrAFileChecked() {
    CommandRun run = CommandRun.of("rules", "moe-correction-bias", "--check", "rules.json");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("do not go together");
  }
}
