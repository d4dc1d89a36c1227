package org.shardmend.checkpoint.modules;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.sidefile.ModelConfig;

class ModuleConfigTest {
  private static final UnaryOperator<String> MODULES =
      ModuleNames.following(name -> name.replace(".attn_mha.kv_b_proj.", ".kv_b_proj."));

  private static final String CONFIG =
      """
      {
        "model_type": "x.attn_mha.kv_b_proj",
        "rope": 1e6,
        "quantization_config": {
          "quant_method": "fp8",
          "ignore": [
            "lm_head",
            "model.layers.0.self_attn.attn_mha.kv_b_proj"
          ],
          "dynamic": {
            "model.layers.1.self_attn.attn_mha.kv_b_proj": {
              "bits": 8
            },
            "model.layers.2.self_attn.attn_mha.kv_b_proj": {},
            "model.layers.2.self_attn.kv_b_proj": {}
          }
        },
        "text_config": {
          "quantization_config": {
            "modules_to_not_convert": [
              "a.attn_mha.kv_b_proj"
            ]
          }
        }
      }
      """;

  private static ModuleConfig config(String json) {
    try {
      return ModuleConfig.read(ModelConfig.FILE_NAME, json.getBytes(StandardCharsets.UTF_8));
    } catch (JsonFormatException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void modulesInTheQuantizationSectionsFollowTheTensors() {
    byte[] rewritten = config(CONFIG).rewritten(e -> ModuleConfig.renamed(e, MODULES));

    assertThat(new String(rewritten, StandardCharsets.UTF_8))
        .isEqualTo(
            CONFIG
                .replace("layers.0.self_attn.attn_mha.", "layers.0.self_attn.")
                .replace("layers.1.self_attn.attn_mha.", "layers.1.self_attn.")
                .replace("a.attn_mha.", "a."));
  }

  @Test
  void whatNobodyRenamesStaysAsItIs() {
    assertThat(new String(config(CONFIG).rewritten(ModuleEntry::text), StandardCharsets.UTF_8))
        .isEqualTo(CONFIG);
  }

  @Test
  void aConfigThatMentionsRenamedModulesIsAFinding() {
    Finding finding = ModuleNames.finding(config(CONFIG), MODULES).orElseThrow();

    assertThat(finding.code()).isEqualTo("config-names-modules");
    assertThat(finding.message())
        .contains("model.layers.0.self_attn.attn_mha.kv_b_proj", "--rewrite-config");
    assertThat(
            ModuleNames.finding(
                config("{\"quantization_config\": {\"ignore\": [\"a\"]}}"), MODULES))
        .isEmpty();
  }

  @Test
  void aModuleIsCalledAsItsWeight() {
    assertThat(MODULES.apply("x.attn_mha.kv_b_proj")).isEqualTo("x.kv_b_proj");
    assertThat(ModuleNames.following(name -> "other").apply("x")).isEqualTo("x");
  }

  @Test
  void whatIsAPatternIsToldByWhereItStands() throws JsonFormatException {
    ModuleConfig config =
        config(
            """
            {"quantization_config": {"ignore": ["re:.*x", "lm_head", "*y"],
             "modules_to_not_convert": ["visual"], "dynamic": {"-:z.*": {"bits": "q"}},
             "config_groups": {"g": {"targets": ["Linear", "re:w"]}}}}
            """);

    assertThat(config.patterns())
        .containsExactly(
            new ModuleEntry("re:.*x", ModuleEntry.Syntax.EXPRESSION),
            new ModuleEntry("*y", ModuleEntry.Syntax.GLOB),
            new ModuleEntry("visual", ModuleEntry.Syntax.PART),
            new ModuleEntry("-:z.*", ModuleEntry.Syntax.DYNAMIC),
            new ModuleEntry("re:w", ModuleEntry.Syntax.EXPRESSION));
  }

  @Test
  void theFileOfOneMethodIsAllQuantization() throws JsonFormatException {
    String json = "{\"quantization\": {\"exclude_modules\": [\"a.attn_mha.kv_b_proj\", \"*b\"]}}";
    ModuleConfig config =
        ModuleConfig.read("hf_quant_config.json", json.getBytes(StandardCharsets.UTF_8));

    assertThat(config.renamedModules(MODULES)).containsExactly("a.attn_mha.kv_b_proj");
    assertThat(config.patterns()).containsExactly(new ModuleEntry("*b", ModuleEntry.Syntax.GLOB));
    assertThat(
            new String(
                config.rewritten(entry -> ModuleConfig.renamed(entry, MODULES)),
                StandardCharsets.UTF_8))
        .isEqualTo(json.replace("attn_mha.", ""));
    assertThat(ModuleNames.finding(config, MODULES).orElseThrow().message())
        .startsWith("hf_quant_config.json's quantization section");
  }
}
