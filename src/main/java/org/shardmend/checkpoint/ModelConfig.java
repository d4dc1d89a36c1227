package org.shardmend.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What config.json says of the model, as far as it matters here. */
public final class ModelConfig {

  /** The file's name in the checkpoint's directory. */
  public static final String FILE_NAME = "config.json";

  private static final List<String> QUANTIZATION_SECTIONS =
      List.of("quantization_config", "compression_config");

  private final JsonNode root;

  private ModelConfig(JsonNode root) {
    this.root = root;
  }

  static ModelConfig read(byte[] json) throws JsonFormatException {
    return JsonCursor.parse(
        json,
        cursor -> {
          if (!cursor.isObject()) {
            throw cursor.failure("expected an object");
          }
          return new ModelConfig(cursor.tree());
        });
  }

  /** The model's type: {@code deepseek_v3}. */
  public Optional<String> modelType() {
    return text(root, "model_type");
  }

  /** The model's classes: {@code DeepseekV3ForCausalLM}. */
  public List<String> architectures() {
    List<String> names = new ArrayList<>();
    root.path("architectures").forEach(name -> names.add(name.asText()));
    return List.copyOf(names);
  }

  /** How many layers the (text) model has. */
  public OptionalInt hiddenLayers() {
    for (JsonNode section : List.of(root.path("text_config"), root)) {
      JsonNode layers = section.path("num_hidden_layers");
      if (layers.isInt() && layers.intValue() > 0) {
        return OptionalInt.of(layers.intValue());
      }
    }
    return OptionalInt.empty();
  }

  /** The quantization method: {@code fp8}, {@code gptq}, … */
  public Optional<String> quantMethod() {
    return text(quantization(), "quant_method");
  }

  /** The quantization algorithm, where the method has several: {@code NVFP4}. */
  public Optional<String> quantAlgorithm() {
    return text(quantization(), "quant_algo");
  }

  /** Whether a GPTQ-like method reorders the columns by activation, in either of its spellings. */
  public boolean reordersByActivation() {
    JsonNode quantization = quantization();
    if (quantization.path("desc_act").asBoolean(false)) {
      return true;
    }
    for (JsonNode group : quantization.path("config_groups")) {
      JsonNode order = group.path("weights").path("actorder");
      if (order.asText().equals("group") || order.asBoolean(false)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the weights are packed, so that a kernel repacks them after loading. */
  public boolean isPacked() {
    return text(quantization(), "format")
        .filter(format -> format.equals("pack-quantized"))
        .isPresent();
  }

  private JsonNode quantization() {
    for (JsonNode section : List.of(root, root.path("text_config"))) {
      for (String name : QUANTIZATION_SECTIONS) {
        if (section.path(name).isObject()) {
          return section.path(name);
        }
      }
    }
    return MissingNode.getInstance();
  }

  private static Optional<String> text(JsonNode node, String member) {
    JsonNode value = node.path(member);
    return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
  }
}
