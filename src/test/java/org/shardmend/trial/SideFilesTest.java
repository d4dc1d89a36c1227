package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

class SideFilesTest {
  @TempDir private Path directory;

  private void generate(TrialSettings.Builder settings) throws IOException {
    CheckpointGenerator.generate(
        settings.build(), new LocalStore(), Location.ofFile(directory.toString()));
  }

  private JsonNode json(String name) throws IOException {
    return new ObjectMapper().readTree(directory.resolve(name).toFile());
  }

  @Test
  void servekitStatesWhatCanBeLoadedAndNothingElse() throws IOException {
    generate(TrialSettings.builder().tp(2).pp(2).fp8(true));
    assertThat(Files.readString(directory.resolve("servekit.json")))
        .isEqualTo(
            """
            {
              "format": "sharded_state",
              "engine": "sglang",
              "engine_version": "0.5.16",
              "tp_size": 2,
              "pp_size": 2,
              "dp_size": 1,
              "dtype": "bfloat16",
              "quantization": "fp8",
              "source": "/models/source"
            }
            """);
  }

  @Test
  void theConfigurationDescribesTheModel() throws IOException {
    generate(TrialSettings.builder().layers(12).fp8(true));
    JsonNode config = json("config.json");
    assertThat(config.path("text_config").path("num_hidden_layers").intValue()).isEqualTo(12);
    assertThat(config.path("quantization_config").path("quant_method").textValue())
        .isEqualTo("fp8");
    assertThat(directory.resolve("tokenizer_config.json")).isRegularFile();
    assertThat(directory.resolve("servekit-caches")).isDirectory();
  }

  @Test
  void withoutFp8ThereIsNoQuantization() throws IOException {
    generate(TrialSettings.builder());
    assertThat(json("config.json").has("quantization_config")).isFalse();
    assertThat(json("servekit.json").path("quantization").isNull()).isTrue();
  }

  @Test
  void vllmNamesItselfAndTheRoutersBias() throws IOException {
    generate(TrialSettings.builder().engine(Engine.VLLM));
    assertThat(json("servekit.json").path("engine").textValue()).isEqualTo("vllm");
    assertThat(SavedCheckpoint.tensorsOf(SavedCheckpoint.read(directory).partsOf(0, 0)))
        .containsKey("language_model.model.layers.0.mlp.experts.e_score_correction_bias");
  }

  @Test
  void aHuggingFaceIndexSaysWhereEveryTensorIs() throws IOException {
    generate(TrialSettings.builder().layout(Layout.HUGGINGFACE).maxShardBytes(100_000));
    Map<String, String> places = new TreeMap<>();
    long dataBytes = 0;
    for (ShardFile file : SavedCheckpoint.read(directory).files().values()) {
      dataBytes += file.header().dataBytes();
      assertThat(file.header().metadata()).contains(Map.of("format", "pt"));
      file.header()
          .tensors()
          .forEach(tensor -> places.put(tensor.name(), file.path().getFileName().toString()));
    }
    JsonNode index = json("model.safetensors.index.json");
    assertThat(index.path("metadata").path("total_size").longValue()).isEqualTo(dataBytes);
    Map<String, String> weightMap = new TreeMap<>();
    index
        .path("weight_map")
        .properties()
        .forEach(entry -> weightMap.put(entry.getKey(), entry.getValue().textValue()));
    assertThat(weightMap).isEqualTo(places);
    assertThat(places.values())
        .contains(
            "model-00001-of-%05d.safetensors"
                .formatted(Map.copyOf(places).values().stream().distinct().count()));
  }

  @Test
  void aHuggingFaceModelInOneFileHasNoIndex() throws IOException {
    generate(TrialSettings.builder().layout(Layout.HUGGINGFACE));
    assertThat(SavedCheckpoint.read(directory).files()).containsOnlyKeys("model.safetensors");
    assertThat(directory.resolve("model.safetensors.index.json")).doesNotExist();
    assertThat(directory.resolve("servekit.json")).doesNotExist();
  }
}
