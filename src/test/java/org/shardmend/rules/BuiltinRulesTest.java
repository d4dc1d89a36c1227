package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.shardmend.rules.Families.builtin;
import static org.shardmend.rules.Families.shardedState;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.rules.NameOutcome.Refused;
import org.shardmend.rules.NameOutcome.Renamed;
import org.shardmend.rules.NameOutcome.Unchanged;

/** The families of conf/rules, on the names that engines really write. */
class BuiltinRulesTest {
  private static final Path RULES = Path.of("conf/rules");
  private static final Path PAGE = Path.of("src/site/markdown/rules.md");

  @Test
  void theIndexNamesEveryRuleFileAndNothingElse() throws IOException {
    List<String> files;
    try (Stream<Path> entries = Files.list(RULES)) {
      files =
          entries
              .map(path -> path.getFileName().toString())
              .filter(name -> !name.equals("index"))
              .toList();
    }

    assertThat(files).allMatch(name -> name.endsWith(".json"));
    assertThat(Files.readAllLines(RULES.resolve("index")))
        .isSorted()
        .containsExactlyInAnyOrderElementsOf(
            files.stream().map(file -> file.replace(".json", "")).toList());
  }

  @Test
  void everyRuleFileIsNamedAfterItsFamilyAndEqualsTheBuiltInOne()
      throws IOException, RuleException {
    for (String name : Files.readAllLines(RULES.resolve("index"))) {
      Path file = RULES.resolve(name + ".json");
      RuleFamily family = RuleReader.read(Files.readAllBytes(file), file.toString());

      assertThat(family.name()).isEqualTo(name);
      assertThat(BuiltinRules.find(name)).contains(family);
    }
  }

  @Test
  void allFamiliesComeInTheOrderOfTheirNames() {
    assertThat(BuiltinRules.all()).extracting(RuleFamily::name).isSorted().doesNotHaveDuplicates();
    assertThat(BuiltinRules.find("no-such-family")).isEmpty();
  }

  @Test
  void onlyTheMlaRepairIsOnByDefaultAndForEveryLayout() {
    assertThat(BuiltinRules.all().stream().filter(RuleFamily::byDefault))
        .containsExactly(builtin("mla-kv-b-proj"));
    assertThat(builtin("mla-kv-b-proj").layouts()).containsExactlyElementsOf(RuleFamily.LAYOUTS);
  }

  @Test
  void everyFamilySaysWhatSavesAndWhatLoadsItsNames() {
    for (RuleFamily family : BuiltinRules.all()) {
      assertThat(family.about()).as(family.name()).contains("Saved by:", "Loaded by:");
    }
  }

  @Test
  void thePageOnRulesHasARowForEveryFamily() throws IOException {
    String page = Files.readString(PAGE, StandardCharsets.UTF_8);
    for (RuleFamily family : BuiltinRules.all()) {
      assertThat(page).contains("| `" + family.name() + "` |");
    }
  }

  @ParameterizedTest
  @MethodSource("families")
  void everyExampleComesOutAsItSaysInEachOfTheFamilysLayouts(RuleFamily family) {
    for (String layout : family.layouts()) {
      RuleSet rules = RuleSet.of(List.of(family), layout);
      for (int i = 0; i < family.rules().size(); i++) {
        for (RuleExample example : family.rules().get(i).examples()) {
          assertThat(rules.outcome(example.from()))
              .isEqualTo(new Renamed(example.to(), family.ruleId(i)));
          assertThat(rules.outcome(example.to())).isEqualTo(new Unchanged());
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("families")
  void aPatternMatchesOnlyWholeNames(RuleFamily family) {
    // A suffix that no parameter's name has, and that a pattern with an open end takes along.
    RuleSet rules = shardedState(family);
    for (Rule rule : family.rules()) {
      for (RuleExample example : rule.examples()) {
        NameOutcome outcome = rules.outcome(example.from() + "\nx");
        boolean takenAlong = outcome.equals(new Renamed(example.to() + "\nx", ruleOf(outcome)));
        assertThat(takenAlong || outcome.equals(new Unchanged())).as("%s", outcome).isTrue();
      }
    }
  }

  private static String ruleOf(NameOutcome outcome) {
    return outcome.fold(() -> "", Renamed::rule, Refused::rule);
  }

  @ParameterizedTest
  @MethodSource("families")
  void namesOfAHealthyCheckpointOfTextFormAreUnchanged(RuleFamily family) {
    RuleSet rules = shardedState(family);
    for (String name :
        List.of(
            "embed.weight",
            "layers.0.input_layernorm.weight",
            "layers.0.post_attention_layernorm.weight",
            "layers.3.self_attn.fused_qkv_a_proj_with_mqa.weight",
            "layers.3.self_attn.kv_a_layernorm.weight",
            "layers.3.self_attn.q_b_proj.weight_scale_inv",
            "layers.0.self_attn.qkvz_proj.weight",
            "layers.0.mlp.gate.weight",
            "layers.0.mlp.experts.w13_weight",
            "layers.0.mlp.experts.w2_weight_scale_inv",
            "layers.0.mlp.shared_experts.down_proj.weight",
            "layers.0.mixer.dt_bias",
            "layers.0.mixer.A_log",
            "layers.0.self_attn.dt_bias_scale")) {
      assertThat(rules.outcome(name)).as(name).isEqualTo(new Unchanged());
    }
  }

  @ParameterizedTest
  @MethodSource("families")
  void aNameOfAHundredThousandCharactersIsNoTrouble(RuleFamily family) {
    RuleSet rules = shardedState(family);
    for (String unit :
        List.of(
            "x", "x.", "attn.", ".attn_mha.kv_b_proj", "_orig_mod.", ".base_layer.", "model.")) {
      String name = unit.repeat(100_000 / unit.length());
      String withHead = family.rules().get(0).examples().get(0).from() + name;
      for (String longName : List.of(name, withHead)) {
        String reason = rules.outcome(longName).fold(() -> "", renamed -> "", Refused::reason);
        assertThat(reason).doesNotContain("cannot be applied");
      }
    }
  }

  @Test
  void mlaRenamesEveryTensorThatAQuantizationGivesTheModule() {
    RuleSet rules = shardedState("mla-kv-b-proj");
    for (String param :
        List.of(
            "weight",
            "bias",
            "weight_scale",
            "weight_scale_inv",
            "input_scale",
            "qweight",
            "qzeros",
            "scales",
            "g_idx")) {
      assertThat(rules.outcome("model.layers.67.self_attn.attn_mha.kv_b_proj." + param))
          .isEqualTo(
              new Renamed("model.layers.67.self_attn.kv_b_proj." + param, "mla-kv-b-proj#1"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "model.layers.1.self_attn.0.attn_mha.kv_b_proj.weight,"
        + "model.layers.1.self_attn.0.kv_b_proj.weight",
    "model.layers.1.self_attn.1.attn_mha.kv_b_proj.weight_scale_inv,"
        + "model.layers.1.self_attn.1.kv_b_proj.weight_scale_inv"
  })
  void mlaKnowsModelsWithTwoAttentionsALayerBothWays(String alias, String canonical) {
    assertThat(shardedState("mla-kv-b-proj").outcome(alias))
        .isEqualTo(new Renamed(canonical, "mla-kv-b-proj#1"));
    assertThat(shardedState("mla-kv-b-proj-alias").outcome(canonical))
        .isEqualTo(new Renamed(alias, "mla-kv-b-proj-alias#1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.3.self_attn.kv_b_proj.weight",
        "model.layers.3.self_attn.attn_mha.kv_b_proj",
        "model.layers.3.self_attn.attn_mha.kv_b_proj.",
        "model.layers.3.self_attn.attn_mha.k_b_proj.weight",
        "model.layers.3.self_attn.attn_mha_kv_b_proj.weight",
        "model.layers.3.self_attn.my_attn_mha.kv_b_proj.weight",
        "model.layers.3.self_attn.attn_mhaXkv_b_proj.weight",
        "model.layers.3.self_attn.attn_mqa.kv_b_proj.weight",
        "model.layers.3.self_attn.attn_mha.k_scale"
      })
  void mlaLeavesOtherNamesAlone(String name) {
    assertThat(shardedState("mla-kv-b-proj").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.3.self_attn.attn_mha.kv_b_proj.weight",
        "attn_mha.kv_b_proj.weight",
        "model.layers.3.self_attn.kv_b_proj",
        "model.layers.3.self_attn.q_b_proj.weight"
      })
  void mlaAliasLeavesAliasesAlone(String name) {
    assertThat(shardedState("mla-kv-b-proj-alias").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.linear_attn.attn.dt_bias",
        "model.layers.0.self_attn.attn.A_log",
        "attn.dt_bias",
        "model.layers.0.mixer.dt_bias",
        "model.layers.0.mamba.A_log",
        "model.layers.0.linear_attn.dt_bias.scale",
        "model.layers.0.linear_attn.my_dt_bias",
        "dt_bias"
      })
  void linearAttentionLongLeavesLongNamesAndMambaAlone(String name) {
    assertThat(shardedState("linear-attention-long").outcome(name)).isEqualTo(new Unchanged());
    assertThat(shardedState("linear-attention-long-dt-bias").outcome(name))
        .isEqualTo(new Unchanged());
  }

  @Test
  void linearAttentionLongDtBiasLeavesALogAlone() {
    RuleSet rules = shardedState("linear-attention-long-dt-bias");

    assertThat(rules.outcome("model.layers.0.self_attn.A_log")).isEqualTo(new Unchanged());
    assertThat(rules.outcome("model.layers.0.self_attn.dt_bias"))
        .isEqualTo(
            new Renamed(
                "model.layers.0.self_attn.attn.dt_bias", "linear-attention-long-dt-bias#1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.linear_attn.dt_bias",
        "model.layers.0.mixer.dt_bias",
        "model.visual.blocks.0.attn.proj.weight",
        "model.layers.0.linear_attn.attn.conv1d.weight"
      })
  void linearAttentionShortLeavesShortNamesAlone(String name) {
    assertThat(shardedState("linear-attention-short").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.self_attn.qkv_proj.weight",
        "model.layers.0.self_attn.qkv_proj.lora_a_stacked.0",
        "model.layers.0.my_base_layer.weight",
        "model.base_layers.0.weight",
        "base_layer.weight",
        "model.layers.0.self_attn.qkv_proj.base_layer"
      })
  void loraLeavesOtherNamesAlone(String name) {
    assertThat(shardedState("lora-base-layer").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @CsvSource({
    "_orig_mod.a.weight, a.weight",
    "a._orig_mod.weight, a.weight",
    "a._orig_mod.b._orig_mod.weight, a.b.weight",
    "_orig_mod.a._orig_mod.b._orig_mod.c._orig_mod.weight, a.b.c.weight",
    "_orig_mod._orig_mod._orig_mod._orig_mod.weight, weight",
    "a.my_orig_mod.b._orig_mod.weight, a.my_orig_mod.b.weight"
  })
  void compiledModulesAreUnwrappedAnywhereInTheName(String from, String to) {
    assertThat(shardedState("compiled-modules").outcome(from))
        .isEqualTo(new Renamed(to, "compiled-modules#1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.my_orig_mod.weight", "a._orig_mod", "_orig_mod", "a._orig_mods.b"})
  void compiledModulesLeavesOtherNamesAlone(String name) {
    assertThat(shardedState("compiled-modules").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @ValueSource(strings = {"_orig_mod.", "_orig_mod._orig_mod._orig_mod._orig_mod._orig_mod.weight"})
  void compiledModulesRefusesWhatItCannotUnwrapWhole(String name) {
    assertThat(shardedState("compiled-modules").outcome(name)).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.visual.blocks.0.mlp.fc1.weight",
        "model.vision_tower.encoder.layers.0.mlp.fc1.weight",
        "model.multi_modal_projector.linear_1.weight",
        "visual.blocks.0.mlp.fc1.weight",
        "model.language_model.norm.weight",
        "language_model.model.norm.weight",
        "my.lm_head2.weight"
      })
  void textFormsLeaveVisionTowersAndOtherFormsAlone(String name) {
    assertThat(shardedState("multimodal-text-to-hf").outcome(name)).isEqualTo(new Unchanged());
    assertThat(shardedState("multimodal-text-to-engine").outcome(name)).isEqualTo(new Unchanged());
  }

  @ParameterizedTest
  @CsvSource({
    "multimodal-hf-to-engine, multimodal-vision-unwrap",
    "multimodal-hf-to-text, multimodal-vision-unwrap",
    "multimodal-engine-to-hf, multimodal-vision-wrap",
    "multimodal-engine-to-text, multimodal-vision-wrap",
    "multimodal-text-to-hf, multimodal-vision-wrap",
    "multimodal-text-to-engine, multimodal-vision-unwrap",
    "mla-kv-b-proj, multimodal-vision-unwrap",
    "mla-kv-b-proj, moe-correction-bias",
    "mla-kv-b-proj, linear-attention-short",
    "moe-correction-bias, linear-attention-long"
  })
  void familiesThatGoTogetherDoNotDisturbEachOther(String one, String other) {
    RuleSet together = shardedState(one, other);
    for (String name : List.of(one, other)) {
      for (Rule rule : builtin(name).rules()) {
        for (RuleExample example : rule.examples()) {
          assertThat(together.outcome(example.from()))
              .isInstanceOfSatisfying(
                  Renamed.class, renamed -> assertThat(renamed.target()).isEqualTo(example.to()));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mla-kv-b-proj, mla-kv-b-proj-alias",
    "linear-attention-long, linear-attention-short",
    "moe-correction-bias, moe-correction-bias-experts",
    "moe-correction-bias, moe-correction-bias-legacy",
    "moe-correction-bias-experts, moe-correction-bias-legacy",
    "multimodal-engine-to-hf, multimodal-hf-to-engine",
    "multimodal-engine-to-text, multimodal-text-to-engine",
    "multimodal-hf-to-text, multimodal-text-to-hf",
    "multimodal-vision-wrap, multimodal-vision-unwrap"
  })
  void twoDirectionsAtOnceRefuseEveryNameAndNameBothFamilies(String one, String other) {
    RuleSet both = shardedState(one, other);
    for (String family : List.of(one, other)) {
      for (Rule rule : builtin(family).rules()) {
        for (RuleExample example : rule.examples()) {
          assertThat(both.outcome(example.from()))
              .as(example.from())
              .isInstanceOfSatisfying(
                  Refused.class,
                  refused -> {
                    assertThat(refused.rule()).contains(one + "#", other + "#");
                    assertThat(refused.reason()).contains(one + "#", other + "#");
                  });
        }
      }
    }
  }

  static List<RuleFamily> families() {
    return BuiltinRules.all();
  }
}
