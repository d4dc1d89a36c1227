package org.shardmend.checkpoint.expected;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Samples;
import org.shardmend.checkpoint.TestShard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

class ExpectedStateTest {

  private static ExpectedState read(String json) throws CheckpointException {
    return ExpectedState.read(json.getBytes(StandardCharsets.UTF_8), "state.json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mla-tp2-pp2.expected.json", "mla-fp8-tp4.expected.json"})
  void theSamplesAreReadAndWrittenAsTheyAre(String name) throws CheckpointException {
    byte[] json = Samples.read(name);

    ExpectedState state = ExpectedState.read(json, name);

    assertThat(state.units()).hasSize(4);
    assertThat(new String(state.write(), StandardCharsets.UTF_8).strip())
        .isEqualTo(new String(json, StandardCharsets.UTF_8).strip());
  }

  @Test
  void aUnitWithoutStagesIsStageZero() throws CheckpointException {
    ExpectedState state =
        ExpectedState.read(Samples.read("mla-fp8-tp4.expected.json"), "state.json");

    Map<String, ExpectedTensor> tensors = state.forUnit(UnitId.ofTp(2)).orElseThrow();

    assertThat(tensors.get("language_model.model.embed_tokens.weight"))
        .isEqualTo(ExpectedTensor.of("BF16", Shape.of(128, 64)));
    assertThat(state.forUnit(UnitId.ofTp(4))).isEmpty();
    assertThat(state.forUnit(new UnitId(1, 0))).isEmpty();
  }

  @Test
  void aMissingRankMeansEveryOne() throws CheckpointException {
    ExpectedState state =
        read(
            """
            {"format": "expected-state/1", "units": [
              {"pp_rank": 0, "tensors": {"a": {}}},
              {"pp_rank": 1, "tensors": {"b": {"dtype": "BF16"}}},
              {"tensors": {"c": {"shape": []}}}]}
            """);

    assertThat(state.forUnit(new UnitId(0, 7)).orElseThrow()).containsOnlyKeys("a", "c");
    assertThat(state.forUnit(new UnitId(1, 7)).orElseThrow()).containsOnlyKeys("b", "c");
    assertThat(state.forUnit(UnitId.NONE).orElseThrow()).containsOnlyKeys("a", "c");
    Map<String, ExpectedTensor> tensors = state.forUnit(new UnitId(1, 0)).orElseThrow();
    assertThat(tensors.get("b").dtype()).isEqualTo("BF16");
    assertThat(tensors.get("b").shape()).isEmpty();
    assertThat(tensors.get("c").shape()).contains(Shape.of());
    assertThat(tensors.get("c").dtype()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|'format' is missing",
        "{\"format\": \"expected-state/2\"}|line 1, column 12: 'format' is not expected-state/1",
        "{\"format\": \"expected-state/1\", \"units\": []}|there are no units",
        "{\"format\": \"expected-state/1\"}|there are no units",
        "{\"format\": \"expected-state/1\", \"unit\": []}|'unit' is not known here",
        "{\"format\": \"expected-state/1\", \"units\": [{}]}|the unit before has no 'tensors'",
        "{\"units\": [{\"tp_rank\": -1}]}|tp_rank is -1",
        "{\"units\": [{\"tp_rank\": 1.0}]}|expected tp_rank to be a whole number",
        "{\"units\": [{\"tensors\": {\"a\": {\"dtype\": 3}}}]}|expected dtype to be a string",
        "{\"units\": [{\"tensors\": {\"a\": {\"dtype\": \"\"}}}]}|'dtype' is empty",
        "{\"units\": [{\"tensors\": {\"a\": {\"dtype\": \"bfloat16\"}}}]}|'bfloat16', which is no"
            + " name of safetensors",
        "{\"units\": [{\"tensors\": {\"a\": {\"shape\": [-2]}}}]}|a dimension is -2",
        "{\"units\": [{\"tensors\": {\"a\": {\"size\": 2}}}]}|'size' is not known here",
        "{\"units\": [{\"tensors\": {\"a\": {}, \"a\": {}}}]}|Duplicate field 'a'",
        "{\"units\": [{\"tensors\": {\"a\": {}}}|line 1, column 34: the document ends in the"
            + " middle",
        "[]|expected the document to be an object, found an array",
        "''|the document is empty",
      })
  void aMalformedDocumentIsAnErrorOfTheCommandLineWithItsPlace(String json, String why) {
    CheckpointException e = catchThrowableOfType(CheckpointException.class, () -> read(json));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
    assertThat(e).hasMessageContainingAll("state.json", why);
  }

  @Test
  void twoUnitsThatExpectTheSameTensorOfARankContradict() {
    List<ExpectedUnit> units =
        List.of(
            new ExpectedUnit(UnitId.ofTp(1), Map.of("a", ExpectedTensor.nameOnly())),
            new ExpectedUnit(new UnitId(0, 1), Map.of("a", ExpectedTensor.nameOnly())));

    assertThatThrownBy(() -> ExpectedState.of(units))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("'a'", "tp 1", "pp 0, tp 1");
  }

  @Test
  void aHealthyCheckpointIsAnExpectation() {
    ExpectedUnit unit = ExpectedUnit.of(UnitId.ofTp(1), new TestShard().bf16("a", 2).tensors());

    assertThat(ExpectedState.of(List.of(unit)).forUnit(UnitId.ofTp(1)).orElseThrow())
        .containsExactly(Map.entry("a", ExpectedTensor.of("BF16", Shape.of(2))));
  }

  @Test
  void whatIsNotUtf8IsRefused() {
    byte[] json = "{\"format\": \"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);

    assertThatThrownBy(() -> ExpectedState.read(json, "state.json"))
        .hasMessageContaining("it is not UTF-8");
    assertThatThrownBy(
            () -> ExpectedState.read("{}".getBytes(StandardCharsets.UTF_16), "state.json"))
        .isInstanceOf(CheckpointException.class);
  }
}
