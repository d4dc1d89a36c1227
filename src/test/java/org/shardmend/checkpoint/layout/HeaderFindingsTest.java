package org.shardmend.checkpoint.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.LayerNumber;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.ServekitJson;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.finding.SiblingFindings;
import org.shardmend.safetensors.UnknownDtypes;

class HeaderFindingsTest {

  private static Checkpoint checkpoint(String servekit, String config) {
    InMemoryFiles files =
        new InMemoryFiles()
            .empty("model-rank-0-part-0.safetensors")
            .file("servekit.json", servekit)
            .file("config.json", config);
    try {
      return Discovery.discover(files, DiscoveryOptions.defaults());
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  private static Checkpoint checkpoint() {
    return checkpoint(ServekitJson.of(1, 1), "{}");
  }

  private static UnitSummary unit(int pp, int tp, TestShard shard) {
    return UnitSummary.of(new UnitId(pp, tp), shard.tensors());
  }

  private static TestShard layers(int... numbers) {
    TestShard shard = new TestShard();
    for (int number : numbers) {
      shard.bf16("model.layers." + number + ".self_attn.o_proj.weight", 2);
    }
    return shard;
  }

  private static List<Finding> findings(UnitSummary... units) {
    return HeaderFindings.of(checkpoint(), List.of(units));
  }

  private static List<String> codes(List<Finding> findings) {
    return findings.stream().map(Finding::code).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2", "mla-fp8-tp4"})
  void theSamplesHaveNoFinding(String sample) throws CheckpointException {
    InMemoryFiles files = InMemoryFiles.ofSample(sample);
    Checkpoint checkpoint = Discovery.discover(files, DiscoveryOptions.defaults());
    List<UnitSummary> units = new ArrayList<>();
    for (LoadUnit unit : checkpoint.units()) {
      List<ScannedShard> shards = new ArrayList<>();
      for (Shard shard : unit.shards()) {
        shards.add(HeaderScan.read(files, unit.id(), shard, UnknownDtypes.REFUSE));
      }
      units.add(UnitSummary.ofShards(unit.id(), shards));
    }

    assertThat(HeaderFindings.of(checkpoint, units)).isEmpty();
    assertThat(units.get(0).layers().keySet()).containsExactly("language_model.model.layers");
  }

  @Test
  void siblingsWithTheSameTensorsInAnotherOrderAreAlike() {
    assertThat(
            findings(
                unit(0, 0, new TestShard().bf16("a", 2).bf16("b", 3)),
                unit(0, 1, new TestShard().bf16("b", 3).bf16("a", 2))))
        .isEmpty();
  }

  @Test
  void aSiblingWithOtherNamesIsAFinding() {
    UnitSummary[] units = {
      unit(0, 0, new TestShard().bf16("a", 2)),
      unit(0, 1, new TestShard().bf16("b", 2)),
      unit(0, 2, new TestShard().bf16("a", 2)),
      unit(1, 0, new TestShard().bf16("c", 2))
    };

    List<SiblingFindings.Mismatch> mismatches = SiblingFindings.mismatches(List.of(units));
    Finding finding =
        SiblingFindings.finding(
            mismatches.get(0),
            new TestShard().bf16("a", 2).tensors(),
            new TestShard().bf16("b", 2).tensors());

    assertThat(codes(findings(units))).containsExactly("sibling-names");
    assertThat(mismatches)
        .containsExactly(
            new SiblingFindings.Mismatch(
                FindingCode.SIBLING_NAMES, new UnitId(0, 0), List.of(new UnitId(0, 1))));
    assertThat(finding.message())
        .contains(
            "pp 0, tp 1 has other names than pp 0, tp 0",
            "'b' is only in pp 0, tp 1",
            "'a' is only in pp 0, tp 0");
  }

  @Test
  void aSiblingWithAnotherTypeIsAFinding() {
    List<SiblingFindings.Mismatch> mismatches =
        SiblingFindings.mismatches(
            List.of(
                unit(0, 0, new TestShard().bf16("a", 2)), unit(0, 1, new TestShard().f16("a", 2))));

    assertThat(mismatches)
        .extracting(SiblingFindings.Mismatch::code)
        .containsExactly(FindingCode.SIBLING_DTYPES);
    assertThat(
            SiblingFindings.finding(
                    mismatches.get(0),
                    new TestShard().bf16("a", 2).tensors(),
                    new TestShard().f16("a", 2).tensors())
                .message())
        .contains("'a' is F16, not BF16");
  }

  @Test
  void aSiblingWithAnotherShapeIsAFinding() {
    List<SiblingFindings.Mismatch> mismatches =
        SiblingFindings.mismatches(
            List.of(
                unit(0, 0, new TestShard().bf16("a", 2, 3)),
                unit(0, 1, new TestShard().bf16("a", 3, 2)),
                unit(0, 2, new TestShard().bf16("a", 3, 2))));

    assertThat(mismatches)
        .containsExactly(
            new SiblingFindings.Mismatch(
                FindingCode.SIBLING_SHAPES, new UnitId(0, 1), List.of(new UnitId(0, 0))));
    assertThat(
            SiblingFindings.finding(
                    mismatches.get(0),
                    new TestShard().bf16("a", 3, 2).tensors(),
                    new TestShard().bf16("a", 2, 3).tensors())
                .message())
        .contains("'a' is [2, 3], not [3, 2]");
  }

  @Test
  void namesThatWouldRunTogetherAreStillDifferent() {
    assertThat(unit(0, 0, new TestShard().bf16("ab", 1).bf16("c", 1)).namesDigest())
        .isNotEqualTo(unit(0, 0, new TestShard().bf16("a", 1).bf16("bc", 1)).namesDigest());
  }

  @Test
  void stagesThatDivideTheLayersHaveNoFinding() {
    assertThat(findings(unit(0, 0, layers(0, 1)), unit(1, 0, layers(2)), unit(2, 0, layers(3, 4))))
        .isEmpty();
  }

  @Test
  void stagesThatShareALayerAreAFinding() {
    List<Finding> findings = findings(unit(0, 0, layers(0, 1, 2)), unit(1, 0, layers(2, 3)));

    assertThat(codes(findings)).containsExactly("stages-share-layers");
    assertThat(findings.get(0).message())
        .contains("pipeline stages 0 and 1 both hold model.layers.2");
  }

  @Test
  void aStageThatIsACopyOfAnotherIsAFinding() {
    List<Finding> findings = findings(unit(0, 0, layers(0, 1)), unit(1, 0, layers(0, 1)));

    assertThat(codes(findings)).containsExactly("stages-share-layers");
    assertThat(findings.get(0).message()).contains("model.layers.0 to 1");
  }

  @Test
  void aLayerBetweenTwoStagesThatIsInNeitherIsAFinding() {
    List<Finding> findings = findings(unit(0, 0, layers(0, 1)), unit(1, 0, layers(4, 5)));

    assertThat(codes(findings)).containsExactly("stages-skip-layers");
    assertThat(findings.get(0).message())
        .contains("model.layers.2 to 3", "stage 0 ends before it", "stage 1 begins after it");
  }

  @Test
  void stagesInTheWrongOrderAreAFinding() {
    assertThat(codes(findings(unit(0, 0, layers(2, 3)), unit(1, 0, layers(0, 1)))))
        .containsExactly("stages-out-of-order");
  }

  @Test
  void aGapWithinAStageIsAFinding() {
    assertThat(codes(findings(unit(0, 0, layers(0, 2))))).containsExactly("layer-gap");
    assertThat(codes(findings(unit(0, 0, layers(1, 2))))).containsExactly("layer-gap");
  }

  @Test
  void fewerLayersThanTheConfigSaysAreAFinding() {
    List<UnitSummary> units = List.of(unit(0, 0, layers(0, 1)));

    assertThat(
            codes(
                HeaderFindings.of(
                    checkpoint(
                        ServekitJson.of(1, 1), "{\"text_config\": {\"num_hidden_layers\": 3}}"),
                    units)))
        .containsExactly("layer-gap");
    assertThat(
            HeaderFindings.of(
                checkpoint(ServekitJson.of(1, 1), "{\"num_hidden_layers\": 2}"), units))
        .isEmpty();
    assertThat(
            HeaderFindings.of(
                checkpoint(ServekitJson.of(1, 1), "{\"num_hidden_layers\": 1}"), units))
        .isEmpty();
  }

  @Test
  void otherStacksOfLayersNeedNotBeDivided() {
    TestShard tower =
        layers(0).bf16("vision_tower.encoder.layers.3.w", 1).bf16("projector.layers.2.w", 1);

    assertThat(
            findings(
                unit(0, 0, tower), unit(1, 0, layers(1).bf16("visual.blocks.0.norm.weight", 1))))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "model.layers.3.mlp.gate.weight, model.layers, 3",
    "layers.3.w, layers, 3",
    "language_model.model.layers.12.self_attn.0.attn_mha.kv_b_proj.weight,"
        + " language_model.model.layers, 12",
    "transformer.h.5.ln_1.bias, transformer.h, 5",
    "model.layers.3.mtp.layers.7.w, model.layers, 3",
  })
  void theFirstNumberedStackGivesTheLayer(String tensor, String stack, int number) {
    assertThat(LayerNumber.of(tensor)).contains(new LayerNumber(stack, number));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model.embed_tokens.weight",
        "vision_tower.layers.1.w",
        "model.layers.x.w",
        "model.layers.9999999.w",
        "model.layers.3",
        "xlayers.3.w",
        ""
      })
  void otherNamesHaveNoLayer(String tensor) {
    assertThat(LayerNumber.of(tensor)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"float16", "torch.float16", "float32"})
  void aTypeThatNoTensorHasContradictsServekit(String dtype) {
    List<Finding> findings =
        HeaderFindings.of(
            checkpoint(ServekitJson.of(1, 1, dtype), "{}"), List.of(unit(0, 0, layers(0))));

    assertThat(codes(findings)).containsExactly("servekit-contradiction");
    assertThat(findings.get(0).message()).contains("dtype " + dtype, "there are BF16");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bfloat16", "torch.bfloat16", "auto", "fp8"})
  void aTypeThatSomeTensorHasOrNobodyKnowsIsNoContradiction(String dtype) {
    assertThat(
            HeaderFindings.of(
                checkpoint(ServekitJson.of(1, 1, dtype), "{}"),
                List.of(unit(0, 0, layers(0).f16("x", 1)))))
        .isEmpty();
  }
}
