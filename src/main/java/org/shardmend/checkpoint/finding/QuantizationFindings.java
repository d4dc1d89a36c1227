package org.shardmend.checkpoint.finding;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.sidefile.ModelConfig;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * Quantization methods whose tensors do not survive being saved after sharding. The methods move
 * data off the module, delete scales, or repack the weights once a model is loaded, and no change
 * of names brings that back.
 */
public final class QuantizationFindings {
  private static final Set<String> MARLIN_ON_VLLM =
      Set.of("gptq", "awq", "gptq_marlin", "awq_marlin", "marlin", "compressed-tensors");

  private QuantizationFindings() {}

  /**
   * What is known not to work.
   *
   * @param engine the engine that saved the checkpoint, where that is known
   * @param hasGgufFiles whether a {@code .gguf} file lies beside the shards
   */
  public static List<Finding> of(
      Optional<Engine> engine,
      Optional<ServekitInfo> servekit,
      Optional<ModelConfig> config,
      boolean hasGgufFiles) {
    String method = method(servekit, config);
    List<String> reasons = new ArrayList<>();
    if (method.equals("mxfp4")) {
      reasons.add(
          "mxfp4: with some backends the engine moves the experts' weights off the module, so that"
              + " neither the files nor the loader's expectation has them");
    }
    if (method.equals("gguf") || hasGgufFiles) {
      reasons.add("GGUF: the engine keeps parts of these weights outside the model's state");
    }
    if (config.filter(ModelConfig::reordersByActivation).isPresent()) {
      reasons.add(
          "act-order GPTQ: the engine sorts the weights by activation after loading, and keeps the"
              + " order outside the model's state");
    }
    if (isNvfp4(method, config) && isDeepSeek(config)) {
      reasons.add("NVFP4 on DeepSeek: the fused shared experts' scales are not part of the state");
    }
    if (!engine.equals(Optional.of(Engine.VLLM))
        && isDeepSeek(config)
        && config.filter(ModelConfig::hasFp4Experts).isPresent()) {
      reasons.add(
          "FP4 experts on DeepSeek, if SGLang ran with the MegaMoE all-to-all backend or with"
              + " --moe-runner-backend flashinfer_mxfp4 (servekit refuses both): the kernels'"
              + " weights lie beside the model's state");
    }
    if (engine.equals(Optional.of(Engine.VLLM))) {
      reasons.addAll(onVllm(servekit, config));
    }
    return reasons.stream().map(QuantizationFindings::finding).toList();
  }

  /** What is known not to work on vLLM besides. */
  public static List<String> onVllm(Optional<ServekitInfo> servekit, Optional<ModelConfig> config) {
    String method = method(servekit, config);
    List<String> reasons = new ArrayList<>();
    if (isMarlin(method, config)) {
      reasons.add(
          method
              + " on vLLM: the kernel repacks the weights (Marlin) after loading, and a fresh model"
              + " has the shapes and types from before");
    }
    if (method.equals("fp8")) {
      reasons.add(
          "fp8 on vLLM: the engine deletes the scales of the key-value cache after loading, and a"
              + " fresh model misses them (q_scale, k_scale, v_scale, prob_scale)");
    }
    return reasons;
  }

  static Finding finding(String reason) {
    return FindingCode.QUANTIZATION.finding(
        "",
        "This quantization is known not to survive being saved after sharding: "
            + reason
            + ". A change of names does not cure that; try the checkpoint before you rely on it.");
  }

  private static String method(Optional<ServekitInfo> servekit, Optional<ModelConfig> config) {
    return servekit
        .flatMap(ServekitInfo::quantization)
        .or(() -> config.flatMap(ModelConfig::quantMethod))
        .orElse("")
        .toLowerCase(Locale.ROOT);
  }

  private static boolean isMarlin(String method, Optional<ModelConfig> config) {
    return method.equals("compressed-tensors")
        ? config.filter(ModelConfig::isPacked).isPresent()
        : MARLIN_ON_VLLM.contains(method);
  }

  private static boolean isNvfp4(String method, Optional<ModelConfig> config) {
    return method.contains("nvfp4")
        || method.equals("modelopt_fp4")
        || config
            .flatMap(ModelConfig::quantAlgorithm)
            .filter(algorithm -> algorithm.toUpperCase(Locale.ROOT).contains("NVFP4"))
            .isPresent();
  }

  private static boolean isDeepSeek(Optional<ModelConfig> config) {
    return config.stream()
        .flatMap(model -> model.architectures().stream())
        .anyMatch(name -> name.toLowerCase(Locale.ROOT).contains("deepseek"));
  }
}
