package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.expected.ExpectedUnit;
import org.shardmend.checkpoint.expected.SourceModel;
import org.shardmend.checkpoint.finding.IndexCheck;
import org.shardmend.checkpoint.finding.SiblingFindings;
import org.shardmend.checkpoint.layout.ShardPattern;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
import org.shardmend.safetensors.Shape;

/** What travels to executors and back arrives as it was. */
class SerializationTest {
  private static final Shard SHARD = new Shard("a.safetensors", 0, 10, 20);

  private static Object travelled(Object value) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return in.readObject();
    }
  }

  static Stream<Object> values() {
    TestShard shard = new TestShard().bf16("model.layers.3.w", 2);
    return Stream.of(
        new UnitId(1, 2),
        SHARD,
        new LoadUnit(UnitId.NONE, List.of(SHARD)),
        new FileEntry("a", FileEntry.Kind.FILE, 1, 2),
        FindingCode.LAYER_GAP.finding("a", "b"),
        shard.scanned("a.safetensors"),
        UnitSummary.of(UnitId.ofTp(0), shard.tensors()),
        ExpectedTensor.of("BF16", Shape.of(1)),
        ExpectedUnit.of(UnitId.ofTp(0), shard.tensors()),
        new PreshardedRead("f", "k", "n", true),
        new SiblingFindings.Mismatch(
            FindingCode.SIBLING_NAMES, UnitId.ofTp(0), List.of(UnitId.ofTp(1))));
  }

  @ParameterizedTest
  @MethodSource("values")
  void aValueArrivesEqual(Object value) throws Exception {
    assertThat(travelled(value)).isEqualTo(value);
  }

  @Test
  void anExpectedStateArrives() throws Exception {
    ExpectedState state =
        ExpectedState.read(Samples.read("mla-tp2-pp2.expected.json"), "state.json");

    assertThat(((ExpectedState) travelled(state)).units()).isEqualTo(state.units());
  }

  @Test
  void checksArrive() throws Exception {
    IndexJson index =
        IndexJson.read("{\"weight_map\": {\"a\": \"f\"}}".getBytes(StandardCharsets.UTF_8), "i");
    IndexCheck check = (IndexCheck) travelled(new IndexCheck(index));
    SourceModel model = (SourceModel) travelled(SourceModel.of(Set.of("a.w"), OptionalLong.of(3)));
    ShardPattern pattern = (ShardPattern) travelled(ShardPattern.parse(ShardPattern.DEFAULT));

    assertThat(check.check(new TestShard().bf16("a", 1).scanned("f"))).isEmpty();
    assertThat(model.knows("a.w")).isTrue();
    assertThat(pattern.match("model-rank-0-part-1.safetensors")).isPresent();
  }

  @Test
  void aRefusalArrivesWithItsProblems() throws Exception {
    CheckpointException refusal =
        CheckpointException.refused("c", List.of(FindingCode.MISSING_PART.finding("s", "m")));

    CheckpointException arrived = (CheckpointException) travelled(refusal);

    assertThat(arrived).hasMessage("c: m");
    assertThat(arrived.problems()).isEqualTo(refusal.problems());
    assertThat(arrived.shard()).contains("s");
  }
}
