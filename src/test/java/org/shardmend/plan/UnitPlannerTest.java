package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleExample;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.Shape;

class UnitPlannerTest {
  private static final UnitId UNIT = new UnitId(1, 0);
  private static final String ALIAS = "model.layers.3.self_attn.attn_mha.kv_b_proj.weight";
  private static final String CANONICAL = "model.layers.3.self_attn.kv_b_proj.weight";
  private static final RuleSet MLA =
      RuleSet.of(List.of(BuiltinRules.find("mla-kv-b-proj").orElseThrow()), "sharded_state");

  private static NamedTensor tensor(String shard, String name) {
    return new NamedTensor(shard, name, "BF16", Shape.of(2, 4), 100, 116, "", false);
  }

  private static UnitDecisions decide(NamedTensor... tensors) {
    return UnitPlanner.decide(UNIT, List.of(tensors), MLA);
  }

  @Test
  void anAliasAloneIsRenamed() {
    UnitDecisions decisions = decide(tensor("a", ALIAS), tensor("a", "model.norm.weight"));

    assertThat(decisions.changes())
        .singleElement()
        .satisfies(
            decision -> {
              assertThat(decision.action()).isEqualTo(Action.RENAME);
              assertThat(decision.tensor()).isEqualTo(ALIAS);
              assertThat(decision.target()).isEqualTo(CANONICAL);
              assertThat(decision.rule()).startsWith("mla-kv-b-proj#");
            });
    assertThat(decisions.open()).isEmpty();
    assertThat(decisions.tensors()).isEqualTo(2);
  }

  @Test
  void anAliasBesideItsCanonicalNameIsDroppedOnceTheBytesAreEqual() {
    UnitDecisions decisions = decide(tensor("a", ALIAS), tensor("b", CANONICAL));

    assertThat(decisions.changes()).extracting(Decision::action).containsExactly(Action.DROP);
    assertThat(decisions.open()).hasSize(1);
    Comparison open = decisions.open().get(0);
    assertThat(open.tensors()).extracting(NamedTensor::name).containsExactly(CANONICAL, ALIAS);
    assertThat(UnitPlanner.settle(decisions.changes(), List.of(ComparisonResult.equal(open))))
        .isEqualTo(decisions.changes());
  }

  @Test
  void anAliasWithOtherBytesThanItsCanonicalNameIsRefused() {
    UnitDecisions decisions = decide(tensor("a", ALIAS), tensor("b", CANONICAL));
    ComparisonResult different = ComparisonResult.different(decisions.open().get(0), ALIAS, 7);

    assertThat(UnitPlanner.settle(decisions.changes(), List.of(different)))
        .singleElement()
        .satisfies(
            decision -> {
              assertThat(decision.action()).isEqualTo(Action.REFUSE);
              assertThat(decision.reason()).contains(ALIAS, CANONICAL, "byte 7");
            });
  }

  @Test
  void anAliasOfAnotherTypeOrShapeThanItsCanonicalNameIsRefusedWithoutReading() {
    NamedTensor other = new NamedTensor("b", CANONICAL, "F16", Shape.of(2, 4), 100, 116, "", false);

    UnitDecisions decisions = decide(tensor("a", ALIAS), other);

    assertThat(decisions.open()).isEmpty();
    assertThat(decisions.changes())
        .singleElement()
        .satisfies(
            decision -> {
              assertThat(decision.action()).isEqualTo(Action.REFUSE);
              assertThat(decision.reason()).contains("BF16 [2, 4]", "F16 [2, 4]");
            });
  }

  @Test
  void emptyTensorsOfOneFormAreEqualWithoutReading() {
    NamedTensor alias = new NamedTensor("a", ALIAS, "BF16", Shape.of(0, 4), 100, 100, "", false);
    NamedTensor canonical =
        new NamedTensor("b", CANONICAL, "BF16", Shape.of(0, 4), 90, 90, "", false);

    UnitDecisions decisions = decide(alias, canonical);

    assertThat(decisions.open()).isEmpty();
    assertThat(decisions.changes()).extracting(Decision::action).containsExactly(Action.DROP);
  }

  @Test
  void equalContentKeysProveEqualBytesAndOtherOnesRefuse() {
    NamedTensor alias = new NamedTensor("a", ALIAS, "BF16", Shape.of(1), 0, 2, "k1", false);
    NamedTensor same = new NamedTensor("b", CANONICAL, "BF16", Shape.of(1), 0, 2, "k1", false);
    NamedTensor other = new NamedTensor("b", CANONICAL, "BF16", Shape.of(1), 0, 2, "k2", false);

    assertThat(decide(alias, same).changes())
        .extracting(Decision::action)
        .containsExactly(Action.DROP);
    assertThat(decide(alias, same).open()).isEmpty();
    assertThat(decide(alias, other).changes())
        .singleElement()
        .satisfies(decision -> assertThat(decision.reason()).contains("k1", "k2"));
  }

  @Test
  void aPlainAttributeAndAParameterNeverBecomeOneEvenWithEqualContent() {
    NamedTensor alias = new NamedTensor("a", ALIAS, "BF16", Shape.of(1), 0, 2, "k1", true);
    NamedTensor canonical = new NamedTensor("a", CANONICAL, "BF16", Shape.of(1), 0, 2, "k1", false);

    assertThat(decide(alias, canonical).changes())
        .singleElement()
        .satisfies(
            decision -> {
              assertThat(decision.action()).isEqualTo(Action.REFUSE);
              assertThat(decision.reason()).contains("plain attribute");
            });
  }

  @Test
  void aNameStoredTwiceIsRefusedInBothPlaces() {
    UnitDecisions decisions =
        decide(tensor("part-0", "model.norm.weight"), tensor("part-1", "model.norm.weight"));

    assertThat(decisions.changes()).extracting(Decision::action).containsOnly(Action.REFUSE);
    assertThat(decisions.changes()).extracting(Decision::shard).containsExactly("part-0", "part-1");
    assertThat(decisions.changes().get(0).reason()).contains("part-0 and part-1");
  }

  @Test
  void twoAliasesOfOneNameNeedEqualBytesAndThenOneIsRenamed() {
    RuleSet rules =
        RuleSet.of(
            List.of(
                new RuleFamily(
                    "two-aliases",
                    "Two names for one.",
                    List.of("sharded_state"),
                    false,
                    List.of(
                        Rule.of(
                            "(?<x>.*)\\.old",
                            "${x}.new",
                            List.of(new RuleExample("a.old", "a.new"))),
                        Rule.of(
                            "(?<x>.*)\\.older",
                            "${x}.new",
                            List.of(new RuleExample("a.older", "a.new")))))),
            "sharded_state");

    UnitDecisions decisions =
        UnitPlanner.decide(UNIT, List.of(tensor("a", "w.older"), tensor("a", "w.old")), rules);

    assertThat(decisions.changes())
        .extracting(Decision::tensor, Decision::action)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("w.old", Action.RENAME),
            org.assertj.core.groups.Tuple.tuple("w.older", Action.DROP));
    ComparisonResult different = ComparisonResult.different(decisions.open().get(0), "w.older", 0);
    assertThat(UnitPlanner.settle(decisions.changes(), List.of(different)))
        .extracting(Decision::action)
        .containsOnly(Action.REFUSE);
  }

  @Test
  void theOrderOfTheTensorsDoesNotMatter() {
    List<NamedTensor> tensors = new ArrayList<>();
    for (int layer = 0; layer < 20; layer++) {
      String prefix = "model.layers.%d.self_attn.".formatted(layer);
      tensors.add(tensor("part-" + layer % 3, prefix + "attn_mha.kv_b_proj.weight"));
      if (layer % 2 == 0) {
        tensors.add(tensor("part-" + layer % 4, prefix + "kv_b_proj.weight"));
      }
    }
    UnitDecisions expected = UnitPlanner.decide(UNIT, tensors, MLA);
    for (int seed = 0; seed < 20; seed++) {
      Collections.shuffle(tensors, new Random(seed));
      assertThat(UnitPlanner.decide(UNIT, tensors, MLA)).isEqualTo(expected);
    }
  }

  @Test
  void decisionsSurvivePacking() {
    Decision odd =
        new Decision(
            UnitId.NONE, "s\n", "n\u0000" + "x".repeat(100_000), "", Action.REFUSE, "", "why 😀");
    List<Decision> decisions = new ArrayList<>(decide(tensor("a", ALIAS)).changes());
    decisions.add(odd);

    assertThat(PackedDecisions.of(decisions).unpack()).isEqualTo(decisions);
  }
}
