package org.shardmend.plan.alias;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

/** Which ranks hold the bytes of another, and which only what all ranks hold alike. */
class IdenticalRanksTest {
  private static final String Q = "layers.%d.attn.q_proj.weight";
  private static final String DOWN = "layers.%d.mlp.down_proj.weight";
  private static final String GATE = "layers.%d.mlp.gate.weight";

  private final List<TensorSample> samples = new ArrayList<>();

  /** A rank of a stage with one layer, whose sharded matrices hold what is of {@code content}. */
  private IdenticalRanksTest rank(int stage, int tp, String content) {
    add(stage, tp, Q, content);
    add(stage, tp, DOWN, content);
    add(stage, tp, GATE, "all");
    return this;
  }

  private void add(int stage, int tp, String kind, String content) {
    String name = kind.formatted(stage);
    UnitId unit = new UnitId(stage, tp);
    samples.add(
        new TensorSample(
            unit,
            shard(unit),
            name,
            "BF16",
            Shape.of(2, 2),
            true,
            false,
            "%s of %s".formatted(name, content)));
  }

  private static String shard(UnitId unit) {
    return "model-pp-%d-rank-%d-part-0.safetensors".formatted(unit.pp(), unit.tp());
  }

  private List<String> found() {
    return IdenticalRanks.among(samples).stream()
        .map(
            pair ->
                "%s = %s in %s (%d)%s"
                    .formatted(
                        pair.one().label(),
                        pair.other().label(),
                        pair.shards(),
                        pair.tensors(),
                        pair.everywhere() ? " everywhere" : ""))
        .toList();
  }

  @Test
  void ranksThatDifferInWhatIsShardedAreNotIdentical() {
    rank(0, 0, "a").rank(0, 1, "b").rank(1, 0, "a").rank(1, 1, "b");

    assertThat(found()).isEmpty();
  }

  @Test
  void aRankWhoseFilesWereCopiedFromAnotherIsNamedWithItsFiles() {
    rank(0, 0, "a").rank(0, 1, "b").rank(1, 0, "a").rank(1, 1, "a");

    assertThat(found())
        .containsExactly("pp 1, tp 0 = pp 1, tp 1 in [model-pp-1-rank-1-part-0.safetensors] (2)");
  }

  @Test
  void ofThreeThatAreOneEachIsNamedOnce() {
    rank(0, 0, "a").rank(0, 1, "b").rank(0, 2, "c");
    rank(1, 0, "a").rank(1, 1, "a").rank(1, 2, "a");

    assertThat(found())
        .containsExactly(
            "pp 1, tp 0 = pp 1, tp 1 in [model-pp-1-rank-1-part-0.safetensors] (2)",
            "pp 1, tp 0 = pp 1, tp 2 in [model-pp-1-rank-2-part-0.safetensors] (2)");
  }

  @Test
  void ranksThatDifferNowhereAreOneThoughNothingShowsWhatIsSharded() {
    rank(0, 0, "a").rank(0, 1, "a");

    assertThat(found())
        .containsExactly(
            "pp 0, tp 0 = pp 0, tp 1 in [model-pp-0-rank-1-part-0.safetensors] (3) everywhere");
  }

  @Test
  void headsOfACacheThatTwoRanksReplicateAreNoFault() {
    for (int tp = 0; tp < 4; tp++) {
      rank(0, tp, "rank " + tp);
      add(0, tp, "layers.%d.attn.k_proj.weight", "heads " + tp / 2);
    }

    assertThat(found()).isEmpty();
  }

  @Test
  void aStageOfWhichAllIsReplicatedIsNoFaultWhereTheSameKindsDifferNowhere() {
    rank(0, 0, "a").rank(0, 1, "b");
    for (int tp = 0; tp < 2; tp++) {
      add(1, tp, "dense.%d.up.weight", "all");
      add(1, tp, "dense.%d.down.weight", "all");
    }

    assertThat(found()).isEmpty();
  }

  @Test
  void oneKindAloneMayBeReplicatedInSomeLayersAndShardedInOthers() {
    rank(0, 0, "a").rank(0, 1, "b");
    add(1, 0, Q, "all");
    add(1, 1, Q, "all");

    assertThat(found()).isEmpty();
  }

  @Test
  void zerosSayNothing() {
    rank(0, 0, "a").rank(0, 1, "b").rank(1, 0, "a").rank(1, 1, "a");
    samples.replaceAll(
        s ->
            new TensorSample(
                s.unit(),
                s.shard(),
                s.name(),
                s.dtype(),
                s.shape(),
                s.matrix(),
                s.unit().pp() == 1 && s.name().equals(Q.formatted(1)),
                s.digest()));

    assertThat(found()).isEmpty();
  }

  @Test
  void vectorsSayNothing() {
    for (int tp = 0; tp < 2; tp++) {
      for (String name : List.of("norm.weight", "q.bias")) {
        samples.add(
            new TensorSample(
                new UnitId(0, tp), "shard", name, "BF16", Shape.of(2), false, false, "ones"));
      }
    }

    assertThat(found()).isEmpty();
  }
}
