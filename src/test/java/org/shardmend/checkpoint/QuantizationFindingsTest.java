package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantizationFindingsTest {

  private static List<Finding> findings(String engine, String quantization, String config) {
    String servekit =
        ServekitJson.of(1, 1)
            .replace("sglang", engine)
            .replace(
                "\"quantization\": null",
                "\"quantization\": "
                    + (quantization.equals("null") ? "null" : "\"" + quantization + "\""));
    InMemoryFiles files =
        new InMemoryFiles()
            .empty("model-rank-0-part-0.safetensors")
            .file("servekit.json", servekit)
            .file("config.json", config);
    try {
      return Discovery.discover(files, DiscoveryOptions.defaults()).findings();
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sglang|mxfp4|{}|mxfp4",
        "sglang|null|{\"quantization_config\": {\"quant_method\": \"mxfp4\"}}|mxfp4",
        "sglang|null|{\"text_config\": {\"quantization_config\": {\"quant_method\":"
            + " \"gguf\"}}}|GGUF",
        "sglang|gptq|{\"quantization_config\": {\"desc_act\": true}}|act-order",
        "sglang|null|{\"quantization_config\": {\"config_groups\": {\"g\": {\"weights\":"
            + " {\"actorder\": \"group\"}}}}}|act-order",
        "sglang|modelopt_fp4|{\"architectures\": [\"DeepseekV3ForCausalLM\"]}|NVFP4 on DeepSeek",
        "sglang|null|{\"architectures\": [\"DeepseekV3ForCausalLM\"], \"quantization_config\":"
            + " {\"quant_algo\": \"NVFP4\"}}|NVFP4 on DeepSeek",
        "vllm|awq|{}|awq on vLLM",
        "vllm|gptq_marlin|{}|gptq_marlin on vLLM",
        "vllm|compressed-tensors|{\"quantization_config\": {\"format\":"
            + " \"pack-quantized\"}}|Marlin",
        "vllm|fp8|{}|q_scale, k_scale, v_scale, prob_scale",
      })
  void aMethodThatIsKnownNotToSurviveIsAFinding(
      String engine, String quantization, String config, String why) {
    List<Finding> findings = findings(engine, quantization, config);

    assertThat(findings).extracting(Finding::code).containsExactly("quantization");
    assertThat(findings.get(0).severity()).isEqualTo(Severity.WARNING);
    assertThat(findings.get(0).message()).contains(why, "A change of names does not cure that");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sglang|null|{}",
        "sglang|fp8|{\"quantization_config\": {\"quant_method\": \"fp8\"}}",
        "sglang|gptq|{\"quantization_config\": {\"desc_act\": false}}",
        "sglang|awq|{}",
        "sglang|modelopt_fp4|{\"architectures\": [\"LlamaForCausalLM\"]}",
        "vllm|null|{}",
        "vllm|compressed-tensors|{\"quantization_config\": {\"format\": \"float-quantized\"}}",
      })
  void anotherMethodIsNone(String engine, String quantization, String config) {
    assertThat(findings(engine, quantization, config)).isEmpty();
  }

  @Test
  void aGgufFileBesideTheShardsIsAFinding() throws CheckpointException {
    InMemoryFiles files =
        new InMemoryFiles()
            .empty("model-rank-0-part-0.safetensors", "model.gguf")
            .file("servekit.json", ServekitJson.of(1, 1));

    assertThat(Discovery.discover(files, DiscoveryOptions.defaults()).findings())
        .extracting(Finding::code)
        .containsExactly("quantization");
  }
}
