package org.shardmend.checkpoint.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.json.LfsPointer;
import org.shardmend.checkpoint.sidefile.ModelConfig;

/** What the headers of a Hugging Face model must say besides their tensors. */
class HuggingFaceChecksTest {
  private static final String SHARD = "model.safetensors";
  private static final SmallReads NOTHING =
      (shard, offset, bytes) -> {
        throw new AssertionError("No value is needed for this");
      };

  @Test
  void aFormatThatLoadersKnowIsNoFinding() {
    assertThat(format(model().metadata(Map.of("format", "pt")))).isEmpty();
    assertThat(format(model().metadata(Map.of("format", "mlx", "more", "words")))).isEmpty();
  }

  @Test
  void withoutMetadataOlderLoadersStop() {
    assertThat(format(model()))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("metadata-format");
              assertThat(finding.message())
                  .contains("no __metadata__", "before 2025 and MLX", "repair --set-format pt");
            });
  }

  @Test
  void metadataThatDoesNotSayTheFormatStopsLoadersOfToday() {
    assertThat(format(model().metadata(Map.of())))
        .singleElement()
        .satisfies(finding -> assertThat(finding.message()).contains("OSError"));
    assertThat(format(model().metadata(Map.of("format", "")))).hasSize(1);
    assertThat(format(model().metadata(Map.of("Format", "pt")))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "lm_head.weight",
        "language_model.lm_head.qweight",
        "_orig_mod.lm_head.weight",
        "transformer.output_layer.weight",
        "output.weight",
        "embed_out.weight",
        "thinker.lm_head.weight",
        "cls.predictions.decoder.weight",
        "head.weight"
      })
  void aHeadUnderAnyOfItsNamesIsOne(String head) {
    assertThat(head(model().bf16(head, 2, 2))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.self_attn.head_norm.weight",
        "vision_tower.head.attention.in_proj_weight",
        "model.layers.0.mlp.output.weight",
        "model.norm.weight"
      })
  void whatIsNoHeadDoesNotReplaceOne(String other) {
    assertThat(head(model().bf16(other, 2, 2)))
        .extracting(Finding::code)
        .containsExactly("head-missing");
  }

  @ParameterizedTest
  @ValueSource(strings = {"embed_tokens.weight", "wte.weight"})
  void aModelThatWasSavedWithoutTheClassThatPredictsWordsNeedsNoHead(String embeddings) {
    assertThat(head(new TestShard().bf16(embeddings, 2, 2).bf16("norm.weight", 2))).isEmpty();
  }

  @Test
  void embeddingsThatEncoderAndDecoderShareDoNotMakeUpForAHead() {
    assertThat(head(new TestShard().bf16("shared.weight", 2, 2))).hasSize(1);
  }

  @Test
  void anInfiniteNumberIsOneForPythonAndHidesNothing() throws JsonFormatException {
    assertThat(
            config("{\"time_step_limit\": [0.0, Infinity, NaN], \"num_hidden_layers\": 2}")
                .hiddenLayers())
        .hasValue(2);
  }

  @Test
  void filesWithoutEmbeddingsAreAPartThatNeedsNoHead() {
    assertThat(head(new TestShard().bf16("model.layers.0.mlp.up_proj.weight", 2, 2))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"tie_word_embeddings\": false}",
        "{\"tie_word_embeddings\": false, \"architectures\": [\"LlamaForCausalLM\"]}",
        "{\"text_config\": {\"tie_word_embeddings\": false},"
            + " \"architectures\": [\"Qwen2VLForConditionalGeneration\"]}",
        "{\"language_config\": {\"tie_word_embeddings\": false}}",
        "{\"tie_word_embeddings\": false, \"vision_config\": {\"tie_word_embeddings\": true}}"
      })
  void aConfigThatSaysThatNothingIsTiedAsksForAHead(String json) throws JsonFormatException {
    assertThat(config(json).hasHeadOfItsOwn()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"tie_word_embeddings\": true}",
        "{\"tie_word_embeddings\": \"false\"}",
        "{\"tie_word_embeddings\": false, \"thinker_config\": {\"text_config\":"
            + " {\"tie_word_embeddings\": true}}}",
        "{\"tie_word_embeddings\": false, \"text_config\": {\"tie_word_embeddings\": true}}",
        "{\"tie_word_embeddings\": false, \"architectures\": [\"Qwen3Model\"]}",
        "{\"tie_word_embeddings\": false, \"architectures\": [\"MistralModel\", \"X\"]}",
        "{\"tie_word_embeddings\": false, \"architectures\": [\"Qwen2ForRewardModel\"]}",
        "{\"tie_word_embeddings\": false,"
            + " \"architectures\": [\"LlamaForSequenceClassification\"]}"
      })
  void aModelThatMayHaveNoHeadIsNotAskedForOne(String json) throws JsonFormatException {
    assertThat(config(json).hasHeadOfItsOwn()).isFalse();
  }

  @Test
  void aPointerOfGitLfsIsToldByItsFirstLine() {
    String pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n";

    assertThat(pointer(pointer)).hasValueSatisfying(it -> assertThat(it.bytes()).isEqualTo(12));
    assertThat(pointer(pointer.replace("\n", "\r\n"))).isPresent();
    assertThat(pointer(pointer.replace("size 12", "size 99999999999999999999")))
        .hasValueSatisfying(it -> assertThat(it.told()).doesNotContain("bytes"));
    assertThat(pointer("version https://git-lfs.github.com/spec/v2\n")).isEmpty();
    assertThat(pointer(" " + pointer)).isEmpty();
    assertThat(pointer("")).isEmpty();
  }

  private static Optional<LfsPointer> pointer(String text) {
    return LfsPointer.of(text.getBytes(StandardCharsets.UTF_8));
  }

  private static TestShard model() {
    return new TestShard().bf16("model.embed_tokens.weight", 2, 2);
  }

  private static List<Finding> format(TestShard shard) {
    return new MetadataFormatCheck().check(List.of(shard.scanned(SHARD)), NOTHING);
  }

  private static List<Finding> head(TestShard shard) {
    return new HeadCheck().check(List.of(shard.scanned(SHARD)), NOTHING);
  }

  private static ModelConfig config(String json) throws JsonFormatException {
    return ModelConfig.read(json.getBytes(StandardCharsets.UTF_8));
  }
}
