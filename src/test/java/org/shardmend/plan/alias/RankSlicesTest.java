package org.shardmend.plan.alias;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.NamedTensor;
import org.shardmend.safetensors.Shape;

/** Which ranks hold the slices of the original model that are theirs. */
class RankSlicesTest {
  private static TensorSample sample(int tp, String name, Shape shape, String bytes) {
    return new TensorSample(
        UnitId.ofTp(tp), "rank-" + tp, name, "BF16", shape, true, bytes.isEmpty(), bytes);
  }

  private static List<TensorSample> ofTwoRanks(String name, Shape shape, String... bytes) {
    List<TensorSample> samples = new ArrayList<>();
    for (int tp = 0; tp < bytes.length; tp++) {
      samples.add(sample(tp, name, shape, bytes[tp]));
    }
    return samples;
  }

  private static NamedTensor whole(String name, Shape shape) {
    return new NamedTensor(
        "model.safetensors", name, "BF16", shape, 100, 100 + 2 * shape.elements(), "", false);
  }

  private static List<String> chosen(List<TensorSample> samples, int most, NamedTensor... source) {
    return RankSlices.choose(samples, List.of(source), most).stream()
        .map(cut -> cut.whole().name() + " " + cut.slicing())
        .toList();
  }

  @Test
  void tensorsThatAreEqualPartsAlongOneDimensionAreCompared() {
    List<TensorSample> samples = ofTwoRanks("model.q.weight", Shape.of(4, 6), "a", "b");
    samples.addAll(ofTwoRanks("model.o.weight", Shape.of(4, 6), "a", "b"));

    assertThat(
            chosen(
                samples,
                4,
                whole("language_model.model.q.weight", Shape.of(8, 6)),
                whole("language_model.model.o.weight", Shape.of(4, 12))))
        .containsExactlyInAnyOrder(
            "language_model.model.q.weight Slicing[parts=2, runBytes=48]",
            "language_model.model.o.weight Slicing[parts=2, runBytes=12]");
  }

  @Test
  void whatIsReplicatedPaddedStackedOrOfAnotherTypeIsNot() {
    List<TensorSample> samples = ofTwoRanks("same", Shape.of(4, 6), "a", "a");
    samples.addAll(ofTwoRanks("padded", Shape.of(4, 6), "a", "b"));
    samples.addAll(ofTwoRanks("stacked", Shape.of(2, 4, 6), "a", "b"));
    samples.addAll(ofTwoRanks("replicated", Shape.of(2, 6), "a", "b"));
    samples.addAll(ofTwoRanks("zeros", Shape.of(4, 6), "", ""));
    samples.addAll(ofTwoRanks("both", Shape.of(4, 6), "a", "b"));

    assertThat(
            chosen(
                samples,
                9,
                whole("same", Shape.of(4, 6)),
                whole("padded", Shape.of(7, 6)),
                whole("stacked", Shape.of(4, 6)),
                whole("replicated", Shape.of(8, 6)),
                whole("zeros", Shape.of(8, 6)),
                whole("both", Shape.of(8, 12))))
        .isEmpty();
  }

  @Test
  void ofManyTheSmallestOfEachKindAreChosen() {
    List<TensorSample> samples = ofTwoRanks("layers.0.q", Shape.of(4, 6), "a", "b");
    samples.addAll(ofTwoRanks("layers.1.q", Shape.of(4, 6), "a", "b"));
    samples.addAll(ofTwoRanks("layers.0.up", Shape.of(40, 6), "a", "b"));

    assertThat(
            chosen(
                samples,
                2,
                whole("layers.0.q", Shape.of(8, 6)),
                whole("layers.1.q", Shape.of(8, 6)),
                whole("layers.0.up", Shape.of(80, 6))))
        .extracting(cut -> cut.substring(0, cut.indexOf(' ')))
        .containsExactly("layers.0.q", "layers.0.up");
  }

  private static RankSlices judged(List<TensorSample> ranks, String... slices) {
    return RankSlices.judge(
        List.of(
            new RankSlices.Cut(ranks, whole("q", Shape.of(8, 6)), new Slicing(slices.length, 48))),
        List.of(List.of(slices)));
  }

  @Test
  void ranksWithTheirOwnSlicesAreInPlace() {
    RankSlices slices = judged(ofTwoRanks("q", Shape.of(4, 6), "a", "b"), "a", "b");

    assertThat(slices.misplaced()).isEmpty();
    assertThat(slices.inPlace()).isEqualTo(2);
    assertThat(slices.compared()).isEqualTo(2);
  }

  @Test
  void exchangedRanksAreNamedWithTheRankWhoseSlicesTheyHold() {
    RankSlices slices = judged(ofTwoRanks("q", Shape.of(4, 6), "b", "a"), "a", "b");

    assertThat(slices.misplaced())
        .containsExactly(
            new RankSlices.Misplaced(UnitId.ofTp(0), "rank-0", 1, 1, "q"),
            new RankSlices.Misplaced(UnitId.ofTp(1), "rank-1", 0, 1, "q"));
  }

  @Test
  void whatMatchesNowhereOrInSeveralPlacesIsNotComparable() {
    assertThat(judged(ofTwoRanks("q", Shape.of(4, 6), "x", "y"), "a", "b").nowhere()).isEqualTo(2);
    RankSlices same = judged(ofTwoRanks("q", Shape.of(4, 6), "x", "a", "a"), "b", "a", "a");
    assertThat(same.misplaced()).isEmpty();
    assertThat(same.inPlace()).isEqualTo(2);
    assertThat(judged(ofTwoRanks("q", Shape.of(4, 6), "a", "x", "y"), "b", "a", "a").nowhere())
        .isEqualTo(3);
  }

  @Test
  void aFileWithATensorInItsPlaceIsNotMisplaced() {
    Shape shape = Shape.of(4, 6);
    RankSlices slices =
        RankSlices.judge(
            List.of(
                new RankSlices.Cut(
                    ofTwoRanks("q", shape, "b", "a"), whole("q", shape), new Slicing(2, 48)),
                new RankSlices.Cut(
                    ofTwoRanks("up", shape, "c", "d"), whole("up", shape), new Slicing(2, 48))),
            List.of(List.of("a", "b"), List.of("c", "d")));

    assertThat(slices.misplaced()).isEmpty();
    assertThat(slices.inPlace()).isEqualTo(2);
  }
}
