package org.shardmend.plan.alias;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;

/** Rules out of pairs of names: as wide as their trials allow, and no wider. */
class RuleProposalsTest {
  private static final String LAYOUT = "sharded_state";

  private static RuleProposals proposals(String... fromTo) {
    List<ProvenPair> pairs =
        Stream.of(fromTo)
            .map(pair -> pair.split(" -> ", 2))
            .map(names -> new ProvenPair(new NamePair(names[0], names[1]), NameProof.BYTES))
            .toList();
    return RuleProposals.of(NameEvidence.of(pairs));
  }

  private static BitSet all(RuleProposals proposals) {
    BitSet holds = new BitSet();
    holds.set(0, proposals.trials().size());
    return holds;
  }

  private static String renamed(RuleFamily family, String name) {
    return RuleSet.of(List.of(family), LAYOUT).outcome(name) instanceof NameOutcome.Renamed to
        ? to.target()
        : name;
  }

  @Test
  void layersThatDifferInTheirNumberAreOneRule() {
    RuleProposals proposals =
        proposals(
            "layers.0.attn.mha.kv.weight -> layers.0.attn.kv.weight",
            "layers.1.attn.mha.kv.weight -> layers.1.attn.kv.weight");

    RuleFamily family = proposals.family(all(proposals), LAYOUT).orElseThrow();

    assertThat(family.rules()).hasSize(1);
    assertThat(renamed(family, "layers.17.attn.mha.kv.weight"))
        .isEqualTo("layers.17.attn.kv.weight");
  }

  @Test
  void aRuleIsMadeForEveryParameterOfAModuleThatWasSeenWithSeveral() {
    RuleProposals proposals =
        proposals(
            "layers.0.attn.mha.kv.weight -> layers.0.attn.kv.weight",
            "layers.0.attn.mha.kv.weight_scale -> layers.0.attn.kv.weight_scale");

    RuleFamily family = proposals.family(all(proposals), LAYOUT).orElseThrow();

    assertThat(renamed(family, "layers.3.attn.mha.kv.weight_scale"))
        .isEqualTo("layers.3.attn.kv.weight_scale");
  }

  @Test
  void aWideRuleThatFailsGivesWayToTheNamesThatWereSeen() {
    RuleProposals proposals = proposals("layers.0.attn.mha.kv.weight -> layers.0.attn.kv.weight");
    BitSet holds = all(proposals);
    // The widest is tried first or last; whichever failed, no name beyond the evidence changes.
    RuleFamily wide = proposals.family(holds, LAYOUT).orElseThrow();
    int widest = trialOf(proposals, wide);
    holds.clear(widest);

    RuleFamily narrow = proposals.family(holds, LAYOUT).orElseThrow();

    assertThat(narrow.rules()).isNotEqualTo(wide.rules());
    assertThat(renamed(narrow, "layers.5.attn.mha.kv.weight")).isEqualTo("layers.5.attn.kv.weight");
    assertThat(renamed(narrow, "layers.5.attn.mha.kv.bias")).isEqualTo("layers.5.attn.mha.kv.bias");
  }

  private static int trialOf(RuleProposals proposals, RuleFamily family) {
    for (int i = 0; i < proposals.trials().size(); i++) {
      if (proposals.trials().get(i).rule().equals(family.rules().get(0))) {
        return i;
      }
    }
    throw new AssertionError("No trial has the family's rule");
  }

  @Test
  void whereNoTrialHoldsNothingIsProposed() {
    RuleProposals proposals = proposals("layers.0.a.weight -> layers.0.b.weight");

    assertThat(proposals.family(new BitSet(), LAYOUT)).isEqualTo(Optional.empty());
  }

  @Test
  void namesThatWereExchangedMakeNoTwoRulesThatUndoEachOther() {
    RuleProposals proposals =
        proposals(
            "layers.0.a.weight -> layers.0.b.weight", "layers.0.b.weight -> layers.0.a.weight");

    Optional<RuleFamily> family = proposals.family(all(proposals), LAYOUT);

    assertThat(family.map(made -> renamed(made, "layers.0.a.weight")))
        .hasValueSatisfying(name -> assertThat(name).isNotEqualTo("layers.0.a.weight"));
  }
}
