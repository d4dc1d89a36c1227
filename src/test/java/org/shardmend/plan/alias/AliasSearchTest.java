package org.shardmend.plan.alias;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.plan.NamedTensor;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.Shape;

/** Which unexpected name stands for which missing one, and what shows it. */
class AliasSearchTest {
  private static final Shape VECTOR = Shape.of(32);
  private static final Shape MATRIX = Shape.of(32, 32);
  private static final RuleSet NO_RULES = RuleSet.of(List.of(), "huggingface");

  private final List<NamedTensor> held = new ArrayList<>();
  private final Map<String, ExpectedTensor> expected = new HashMap<>();

  private AliasSearchTest holds(Shape shape, String... names) {
    for (String name : names) {
      held.add(new NamedTensor("shard", name, "BF16", shape, 0, 2 * shape.elements(), "", false));
    }
    return this;
  }

  private AliasSearchTest expects(Shape shape, String... names) {
    for (String name : names) {
      expected.put(name, ExpectedTensor.of("BF16", shape));
    }
    return this;
  }

  /** A layer with the norms of one convention, where a loader expects those of another one. */
  private AliasSearchTest layerOfTwoNorms(int layer) {
    String before = "layers." + layer;
    return holds(VECTOR, before + ".attention_norm.weight", before + ".ffn_norm.weight")
        .expects(
            VECTOR,
            before + ".input_layernorm.weight",
            before + ".post_attention_layernorm.weight");
  }

  private Pairing pairing(NameContents contents) {
    return new AliasSearch(held, NO_RULES, Optional.of(expected)).renamed(contents);
  }

  private static List<String> pairs(Pairing pairing) {
    return pairing.pairs().stream()
        .map(
            proven ->
                "%s -> %s (%s)"
                    .formatted(proven.pair().from(), proven.pair().to(), proven.proof().label()))
        .toList();
  }

  @Test
  void twoNamesOfOneFormUnderOneParentThatCouldGoEitherWayAreAmbiguous() {
    Pairing pairing = layerOfTwoNorms(0).layerOfTwoNorms(1).pairing(NameContents.NOT_READ);

    assertThat(pairing.pairs()).isEmpty();
    assertThat(pairing.ambiguous())
        .extracting(name -> "%d %s %s".formatted(name.count(), name.from(), name.to()))
        .containsExactly(
            "2 layers.*.attention_norm.weight"
                + " [layers.*.input_layernorm.weight, layers.*.post_attention_layernorm.weight]",
            "2 layers.*.ffn_norm.weight"
                + " [layers.*.input_layernorm.weight, layers.*.post_attention_layernorm.weight]");
    assertThat(pairing.unexpected()).isEmpty();
    assertThat(pairing.missing()).isEmpty();
  }

  @Test
  void theBytesOfAHealthyCheckpointDecideAndOtherLayersFollow() {
    NameContents ofLayerZero =
        new NameContents(
            Map.of("layers.0.attention_norm.weight", "a", "layers.0.ffn_norm.weight", "f"),
            Map.of(
                "layers.0.input_layernorm.weight", "a",
                "layers.0.post_attention_layernorm.weight", "f"));

    assertThat(pairs(layerOfTwoNorms(0).layerOfTwoNorms(1).pairing(ofLayerZero)))
        .containsExactlyInAnyOrder(
            "layers.0.attention_norm.weight -> layers.0.input_layernorm.weight (bytes)",
            "layers.0.ffn_norm.weight -> layers.0.post_attention_layernorm.weight (bytes)",
            "layers.1.attention_norm.weight -> layers.1.input_layernorm.weight (family)",
            "layers.1.ffn_norm.weight -> layers.1.post_attention_layernorm.weight (family)");
  }

  /** The right bytes lie under the other layer's name, where no change of words leads. */
  @Test
  void noPairIsMadeWhoseBytesAreThoseOfAnotherName() {
    NameContents crossed =
        new NameContents(
            Map.of("layerz.0.wq.weight", "first", "layerz.1.wq.weight", "second"),
            Map.of("layers.0.wq.weight", "second", "layers.1.wq.weight", "first"));

    Pairing pairing =
        holds(MATRIX, "layerz.0.wq.weight", "layerz.1.wq.weight", "layerz.2.wq.weight")
            .expects(MATRIX, "layers.0.wq.weight", "layers.1.wq.weight", "layers.2.wq.weight")
            .pairing(crossed);

    assertThat(pairing.pairs()).isEmpty();
    assertThat(pairing.ambiguous()).isEmpty();
    assertThat(pairing.unexpected()).hasSize(3);
    assertThat(pairing.missing()).hasSize(3);
  }

  @Test
  void bytesThatAreTheSameEverywhereDecideNothing() {
    NameContents ones =
        new NameContents(
            Map.of("layers.0.attention_norm.weight", "ones", "layers.0.ffn_norm.weight", "ones"),
            Map.of(
                "layers.0.input_layernorm.weight", "ones",
                "layers.0.post_attention_layernorm.weight", "ones"));

    Pairing pairing = layerOfTwoNorms(0).pairing(ones);

    assertThat(pairing.pairs()).isEmpty();
    assertThat(pairing.ambiguous()).hasSize(2);
  }

  @Test
  void theBytesOfOtherWeightsProveNothingAndDisproveNothing() {
    NameContents otherStep =
        new NameContents(Map.of("layers.0.out.weight", "a"), Map.of("layers.0.o_proj.weight", "b"));

    assertThat(
            pairs(
                holds(MATRIX, "layers.0.out.weight")
                    .expects(MATRIX, "layers.0.o_proj.weight")
                    .pairing(otherStep)))
        .containsExactly("layers.0.out.weight -> layers.0.o_proj.weight (only candidate)");
  }

  @Test
  void bytesThatDifferInASaveOfTheSameWeightsDisproveAPairInAllLayers() {
    NameContents sameWeights =
        new NameContents(
            Map.of("layers.0.out.weight", "a", "layers.0.scale", "s"),
            Map.of("layers.0.o_proj.weight", "b", "layers.0.gain", "s"));

    Pairing pairing =
        holds(MATRIX, "layers.0.out.weight", "layers.1.out.weight")
            .holds(VECTOR, "layers.0.scale")
            .expects(MATRIX, "layers.0.o_proj.weight", "layers.1.o_proj.weight")
            .expects(VECTOR, "layers.0.gain")
            .pairing(sameWeights);

    assertThat(pairs(pairing)).containsExactly("layers.0.scale -> layers.0.gain (bytes)");
    assertThat(pairing.unexpected()).containsExactly("layers.0.out.weight", "layers.1.out.weight");
    assertThat(pairing.missing())
        .containsExactly("layers.0.o_proj.weight", "layers.1.o_proj.weight");
  }

  @Test
  void aParameterThatOnlyOneModuleHasTellsWhichModuleItIs() {
    Pairing pairing =
        holds(MATRIX, "layers.0.w1.weight", "layers.0.w3.weight")
            .holds(VECTOR, "layers.0.w1.bias")
            .expects(MATRIX, "layers.0.gate_proj.weight", "layers.0.up_proj.weight")
            .expects(VECTOR, "layers.0.gate_proj.bias")
            .pairing(NameContents.NOT_READ);

    assertThat(pairs(pairing))
        .containsExactlyInAnyOrder(
            "layers.0.w1.bias -> layers.0.gate_proj.bias (only candidate)",
            "layers.0.w1.weight -> layers.0.gate_proj.weight (family)",
            "layers.0.w3.weight -> layers.0.up_proj.weight (only candidate)");
  }

  @Test
  void aWrapperIsTakenOffThoughSiblingsHaveTheSameForm() {
    Pairing pairing =
        holds(MATRIX, "model.layers.0.attn.q.weight", "model.layers.0.attn.k.weight")
            .expects(MATRIX, "layers.0.attn.q.weight", "layers.0.attn.k.weight")
            .pairing(NameContents.NOT_READ);

    assertThat(pairs(pairing))
        .containsExactlyInAnyOrder(
            "model.layers.0.attn.q.weight -> layers.0.attn.q.weight (only candidate)",
            "model.layers.0.attn.k.weight -> layers.0.attn.k.weight (only candidate)");
  }

  @Test
  void namesThatNothingIsFoundForAreLeftOver() {
    Pairing pairing =
        holds(MATRIX, "a.b.c.d.weight")
            .expects(MATRIX, "x.y.z.weight")
            .pairing(NameContents.NOT_READ);

    assertThat(pairing.unexpected()).containsExactly("a.b.c.d.weight");
    assertThat(pairing.missing()).containsExactly("x.y.z.weight");
  }

  @Test
  void onlyAFewNamesOfAKindAreComparedWithAllThatTheyMayStandFor() {
    layerOfTwoNorms(0).layerOfTwoNorms(1).layerOfTwoNorms(2);

    assertThat(new AliasSearch(held, NO_RULES, Optional.of(expected)).toCompare(2))
        .hasSize(8)
        .noneMatch(pair -> pair.from().startsWith("layers.2."));
  }

  @Test
  void withoutAnExpectedStateNothingIsPaired() {
    AliasSearch search = new AliasSearch(held, NO_RULES, Optional.empty());
    holds(MATRIX, "a.weight");

    assertThat(search.renamed(NameContents.NOT_READ))
        .isEqualTo(new Pairing(List.of(), List.of(), List.of(), List.of()));
  }
}
