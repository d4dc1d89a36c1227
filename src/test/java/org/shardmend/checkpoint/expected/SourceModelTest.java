package org.shardmend.checkpoint.expected;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.sidefile.IndexJson;

class SourceModelTest {
  private static final SourceModel MODEL =
      SourceModel.of(
          Set.of(
              "model.embed_tokens.weight",
              "model.layers.0.self_attn.q_a_proj.weight",
              "model.layers.0.self_attn.kv_a_proj_with_mqa.weight",
              "model.layers.0.self_attn.kv_b_proj.weight",
              "model.layers.0.self_attn.o_proj.weight",
              "model.layers.0.mlp.gate_proj.weight",
              "model.layers.0.mlp.up_proj.weight",
              "model.layers.0.mlp.down_proj.weight",
              "model.layers.1.self_attn.q_proj.weight",
              "model.layers.1.self_attn.dt_bias",
              "model.layers.1.mlp.gate.weight",
              "model.layers.1.mlp.gate.e_score_correction_bias",
              "model.layers.1.mlp.experts.0.gate_proj.weight",
              "model.layers.1.mlp.experts.0.down_proj.weight",
              "lm_head.weight"),
          OptionalLong.of(1000));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.self_attn.kv_b_proj.weight",
        "language_model.model.layers.0.self_attn.kv_b_proj.weight",
        "model.language_model.layers.0.self_attn.kv_b_proj.weight_scale_inv",
        "model.layers.0.self_attn.fused_qkv_a_proj_with_mqa.weight",
        "model.layers.1.self_attn.qkv_proj.weight",
        "model.layers.0.mlp.gate_up_proj.weight",
        "model.layers.1.mlp.experts.w13_weight",
        "model.layers.1.mlp.experts.w2_weight_scale_inv",
        "model.layers.1.mlp.experts.correction_bias",
        "model.layers.1.mlp.experts.e_score_correction_bias",
        "model.layers.1.self_attn.attn.dt_bias",
        "language_model.lm_head.weight",
      })
  void aNameIsKnownAsItselfOrAsWhatAnEngineMakesOfIt(String name) {
    assertThat(MODEL.knows(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.self_attn.attn_mha.kv_b_proj.weight",
        "model.layers.1.self_attn.kv_b_proj.weight",
        "model.layers.2.self_attn.o_proj.weight",
        "model.layers.0.mlp.experts.w13_weight",
        "model.layers.0.mlp.gate.e_score_correction_bias",
        "model.layers.0.self_attn.attn.A_log",
        "weight",
        "",
      })
  void anotherNameIsNot(String name) {
    assertThat(MODEL.knows(name)).isFalse();
  }

  @Test
  void unknownNamesAreAFinding() {
    assertThat(MODEL.unknown(List.of("lm_head.weight"))).isEmpty();
    assertThat(MODEL.unknown(List.of("lm_head.weight", "x.y.weight")).orElseThrow().message())
        .contains("x.y.weight");
  }

  @Test
  void bytesThatCannotBeAreAFinding() {
    assertThat(MODEL.bytes(1000, 4)).isEmpty();
    assertThat(MODEL.bytes(4000, 4)).isEmpty();
    assertThat(MODEL.bytes(800, 4).orElseThrow().code()).isEqualTo("source-bytes");
    assertThat(MODEL.bytes(5000, 4)).isPresent();
    assertThat(SourceModel.of(Set.of("a"), OptionalLong.empty()).bytes(1, 1)).isEmpty();
  }

  @Test
  void aModelIsReadFromItsIndexOrItsHeaders() throws CheckpointException {
    InMemoryFiles single =
        new InMemoryFiles()
            .file("model.safetensors", new TestShard().bf16("model.norm.weight", 4).bytes());
    InMemoryFiles indexed =
        new InMemoryFiles()
            .file(
                IndexJson.FILE_NAME,
                "{\"metadata\": {\"total_size\": 8}, \"weight_map\": {\"model.norm.weight\":"
                    + " \"x.safetensors\"}}")
            .empty("x.safetensors");

    for (InMemoryFiles files : List.of(single, indexed)) {
      SourceModel model = SourceModel.read(files);
      assertThat(model.knows("language_model.model.norm.weight")).isTrue();
      assertThat(model.bytes(8, 1)).isEmpty();
      assertThat(model.bytes(16, 1)).isPresent();
    }
  }
}
