package org.shardmend.checkpoint.finding;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.ServekitJson;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.safetensors.UnknownDtypes;

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
        "sglang|fp8|{\"architectures\": [\"DeepseekV4ForCausalLM\"], \"expert_dtype\":"
            + " \"fp4\"}|flashinfer_mxfp4 (servekit refuses both)",
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
        "vllm|fp4|{\"architectures\": [\"DeepseekV4ForCausalLM\"], \"expert_dtype\": \"fp4\"}",
        "sglang|fp8|{\"architectures\": [\"DeepseekV3ForCausalLM\"]}",
        "vllm|compressed-tensors|{\"quantization_config\": {\"format\": \"float-quantized\"}}",
      })
  void anotherMethodIsNone(String engine, String quantization, String config) {
    assertThat(findings(engine, quantization, config)).isEmpty();
  }

  private static List<Finding> ofHeaders(DiscoveryOptions options, TestShard shard)
      throws IOException, CheckpointException {
    InMemoryFiles files =
        new InMemoryFiles()
            .file("model-rank-0-part-0.safetensors", shard.bytes())
            .file("config.json", "{\"quantization_config\": {\"quant_method\": \"fp8\"}}");
    Checkpoint checkpoint = Discovery.discover(files, options);
    List<Finding> findings = new ArrayList<>(checkpoint.findings());
    for (UnitCheck check : checkpoint.checks()) {
      findings.addAll(
          check.check(
              List.of(
                  HeaderScan.read(
                      files, UnitId.NONE, checkpoint.shards().get(0), UnknownDtypes.REFUSE)),
              (read, offset, bytes) -> files.read(read.name(), offset, bytes)));
    }
    findings.removeIf(FindingCode.SERVEKIT_MISSING::isOf);
    return findings;
  }

  @Test
  void withoutServekitTheFindingsOfVllmAreConditional() throws Exception {
    assertThat(ofHeaders(DiscoveryOptions.defaults(), new TestShard().bf16("model.norm.weight", 2)))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.message())
                    .contains("if vLLM wrote this (--engine says", "q_scale, k_scale"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.layers.0.self_attn.mla_attn.o_proj.weight",
        "model.layers.1.mlp.experts._shared_experts.down_proj.weight",
        "model.layers.1.mlp.experts._gate.weight"
      })
  void namesThatOnlyVllmGivesTellTheEngine(String name) throws Exception {
    assertThat(ofHeaders(DiscoveryOptions.defaults(), new TestShard().bf16(name, 2)))
        .singleElement()
        .satisfies(
            finding -> assertThat(finding.message()).contains("vLLM wrote this (only vLLM calls"));
  }

  @Test
  void namesThatOnlySglangGivesLeaveThemOut() throws Exception {
    assertThat(
            ofHeaders(
                DiscoveryOptions.defaults(),
                new TestShard().bf16("model.layers.0.self_attn.attn_mha.kv_b_proj.weight", 2)))
        .isEmpty();
  }

  @Test
  void theEngineThatWasGivenIsBelieved() throws Exception {
    TestShard shard = new TestShard().bf16("model.norm.weight", 2);

    assertThat(ofHeaders(DiscoveryOptions.defaults().withEngine(Engine.SGLANG), shard)).isEmpty();
    assertThat(ofHeaders(DiscoveryOptions.defaults().withEngine(Engine.VLLM), shard))
        .singleElement()
        .satisfies(finding -> assertThat(finding.message()).contains("fp8 on vLLM"));
  }

  @Test
  void scalesOfTheCacheThatAreNotOneAreNamed() throws Exception {
    TestShard shard =
        new TestShard()
            .bf16("model.layers.0.self_attn.attn.k_scale")
            .bf16("model.layers.0.self_attn.attn.v_scale")
            .bf16("model.layers.0.mlp.up_proj.k_scale", 4);
    byte[] bytes = shard.bytes();
    int data = bytes.length - 2 * 6;
    set(bytes, data, 0x3e80); // 0.25
    set(bytes, data + 2, 0x3f80); // 1

    assertThat(
            new KvScaleCheck()
                .check(
                    List.of(shard.scanned("s")),
                    (read, offset, length) ->
                        Arrays.copyOfRange(bytes, (int) offset, (int) offset + length)))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.code()).isEqualTo("kv-scales");
              assertThat(finding.message())
                  .contains("'model.layers.0.self_attn.attn.k_scale' is 0.25)");
            });
    set(bytes, data, 0x3f80);
    assertThat(
            new KvScaleCheck()
                .check(
                    List.of(shard.scanned("s")),
                    (read, offset, length) ->
                        Arrays.copyOfRange(bytes, (int) offset, (int) offset + length)))
        .isEmpty();
  }

  private static void set(byte[] bytes, int at, int bf16) {
    bytes[at] = (byte) bf16;
    bytes[at + 1] = (byte) (bf16 >> 8);
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
