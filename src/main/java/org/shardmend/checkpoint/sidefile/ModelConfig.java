package org.shardmend.checkpoint.sidefile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;

/** What config.json says of the model, as far as it matters here. */
public final class ModelConfig {

  /** The file's name in the checkpoint's directory. */
  public static final String FILE_NAME = "config.json";

  private static final List<String> QUANTIZATION_SECTIONS =
      List.of("quantization_config", "compression_config");

  private static final String TEXT_CONFIG = "text_config";
  private static final String TIED = "tie_word_embeddings";

  /** Sections of encoders, whose configs repeat every default and say nothing of words. */
  private static final Pattern TOWER = Pattern.compile("vision|visual|audio");

  /** Where multimodal models describe their text model. */
  private static final List<String> TEXT_CONFIGS =
      List.of(TEXT_CONFIG, "llm_config", "language_config");

  /** How classes are called that predict words; others may have no head, whatever the config. */
  private static final Pattern WITH_HEAD =
      Pattern.compile(".*(ForCausalLM|ForConditionalGeneration|LMHeadModel|ForImageTextToText)");

  private final JsonNode root;

  private ModelConfig(JsonNode root) {
    this.root = root;
  }

  public static ModelConfig read(byte[] json) throws JsonFormatException {
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

  /**
   * Whether the model has a projection onto the vocabulary that no embedding stands for: its config
   * says so in so many words, and none of its classes is one without a head.
   */
  public boolean hasHeadOfItsOwn() {
    return Stream.concat(Stream.of(root), TEXT_CONFIGS.stream().map(root::path))
            .anyMatch(section -> saysTied(section, false))
        && !isTiedSomewhere(root)
        && architectures().stream().allMatch(name -> WITH_HEAD.matcher(name).matches());
  }

  private static boolean saysTied(JsonNode section, boolean tied) {
    JsonNode said = section.path(TIED);
    return said.isBoolean() && said.booleanValue() == tied;
  }

  /** The text model's config may lie deeper ({@code thinker_config.text_config}). */
  private static boolean isTiedSomewhere(JsonNode section) {
    return saysTied(section, true)
        || section.properties().stream()
            .filter(member -> !TOWER.matcher(member.getKey()).find())
            .anyMatch(member -> isTiedSomewhere(member.getValue()));
  }

  /** How many layers the (text) model has. */
  public OptionalInt hiddenLayers() {
    for (JsonNode section : List.of(root.path(TEXT_CONFIG), root)) {
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

  /** Whether the experts' weights have 4 bits though the others have 8, as DeepSeek V4's have. */
  public boolean hasFp4Experts() {
    return Stream.of(root, root.path(TEXT_CONFIG), quantization())
        .anyMatch(section -> text(section, "expert_dtype").equals(Optional.of("fp4")));
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
    for (JsonNode section : List.of(root, root.path(TEXT_CONFIG))) {
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
