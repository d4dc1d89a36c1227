package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.shardmend.rules.Families.family;
import static org.shardmend.rules.Families.rule;
import static org.shardmend.rules.Families.shardedState;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.shardmend.rules.NameOutcome.Refused;
import org.shardmend.rules.NameOutcome.Renamed;
import org.shardmend.rules.NameOutcome.Unchanged;

class RuleSetTest {
  private static final RuleFamily SHORTEN =
      family("shorten", rule("(?<x>.*)\\.old\\.(?<p>.+)", "${x}.${p}", "a.old.w", "a.w"));

  @Test
  void aNameThatNoRuleMatchesIsUnchanged() {
    assertThat(shardedState(SHORTEN).outcome("a.new.weight")).isEqualTo(new Unchanged());
    assertThat(shardedState(new RuleFamily[0]).outcome("a.old.w")).isEqualTo(new Unchanged());
    assertThat(shardedState(SHORTEN).outcome("")).isEqualTo(new Unchanged());
  }

  @Test
  void aNameThatOneRuleMatchesIsRenamedByIt() {
    assertThat(shardedState(SHORTEN).outcome("a.old.w")).isEqualTo(new Renamed("a.w", "shorten#1"));
  }

  @Test
  void theRulesOfAFamilyAreCountedFromOne() {
    RuleFamily two = family("two", rule("a", "c", "a", "c"), rule("b", "d", "b", "d"));

    assertThat(shardedState(two).outcome("b")).isEqualTo(new Renamed("d", "two#2"));
  }

  @Test
  void aNameThatTwoRulesMatchIsRefusedAlsoWhenTheyAgree() {
    RuleFamily same = family("same", rule("a\\.old\\.w", "a.w", "a.old.w", "a.w"));

    assertThat(shardedState(SHORTEN, same).outcome("a.old.w"))
        .isEqualTo(
            new Refused(
                "Several rules match the name: same#1, shorten#1; leave all but one of them out, or"
                    + " narrow their patterns.",
                "same#1, shorten#1"));
  }

  @Test
  void familiesAreAppliedOneAfterTheOther() {
    RuleFamily next = family("a-next", rule("a\\.w", "b.w", "a.w", "b.w"));

    RuleSet rules = shardedState(SHORTEN, next);

    assertThat(rules.outcome("a.old.w")).isEqualTo(new Renamed("b.w", "shorten#1, a-next#1"));
    assertThat(rules.outcome("b.w")).isEqualTo(new Unchanged());
  }

  @Test
  void rulesThatMatchTogetherAreAppliedInAnyOrderThatComesToOneName() {
    RuleFamily unwrap = family("unwrap", rule("wrap\\.(?<x>.+)", "${x}", "wrap.w", "w"));

    assertThat(shardedState(SHORTEN, unwrap).outcome("wrap.a.old.w"))
        .isEqualTo(new Renamed("a.w", "shorten#1, unwrap#1"));
  }

  @Test
  void rulesWhoseOrderMakesADifferenceAreRefused() {
    RuleFamily ends = family("ends", rule("(?<x>.*)\\.w", "${x}.v", "a.w", "a.v"));
    RuleFamily olds = family("olds", rule("(?<x>.*)\\.old\\.w", "${x}.z", "a.old.w", "a.z"));

    assertThat(shardedState(ends, olds).outcome("a.old.w"))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.rule()).isEqualTo("ends#1, olds#1");
              assertThat(refused.reason()).startsWith("Several rules match the name");
            });
  }

  @Test
  void aNameThatComesBackToAFamilyIsRefused() {
    RuleFamily back = family("back", rule("a\\.w", "a.old.w", "a.w", "a.old.w"));

    assertThat(shardedState(SHORTEN, back).outcome("a.old.w"))
        .isInstanceOfSatisfying(
            Refused.class,
            refused ->
                assertThat(refused.reason())
                    .contains("Rule back#1 makes 'a.old.w' of it", "changed again by shorten#1"));
  }

  @Test
  void aResultThatTheSameRuleWouldChangeIsRefused() {
    assertThat(shardedState(SHORTEN).outcome("a.old.b.old.w"))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.rule()).isEqualTo("shorten#1");
              assertThat(refused.reason()).contains("'a.old.b.w'", "changed again by shorten#1");
            });
  }

  @Test
  void aRuleThatLeavesTheNameAsItIsRefusesIt() {
    RuleFamily keeps = family("keeps", rule("(?<x>a|b)c?", "${x}", "ac", "a"));

    assertThat(shardedState(keeps).outcome("b"))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.reason()).contains("leaves the name as it is"));
  }

  @Test
  void anEmptyResultIsRefused() {
    RuleFamily empties = family("empties", rule("old(?<x>.*)", "${x}", "oldw", "w"));

    assertThat(shardedState(empties).outcome("old"))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).contains("leave nothing"));
  }

  @Test
  void theHeadersMetadataKeyIsNoTensorsName() {
    RuleFamily meta = family("meta", rule("x\\.(?<x>.*)", "${x}", "x.w", "w"));

    assertThat(shardedState(meta).outcome("x.__metadata__"))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).contains("'__metadata__'"));
  }

  @Test
  void aHostilePatternRefusesTheNameAndNamesTheRule() {
    RuleFamily slow = family("slow", rule("(?<x>.*.*.*.*.*)=1", "${x}", "a=1", "a"));

    assertThat(shardedState(slow).outcome("a".repeat(500)))
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> {
              assertThat(refused.rule()).isEqualTo("slow#1");
              assertThat(refused.reason())
                  .startsWith("Rule slow#1 cannot be applied: its pattern backtracks too much");
            });
  }

  @Test
  void aLongResultIsShownShortened() {
    assertThat(shardedState(SHORTEN).outcome("x".repeat(100_000) + ".old.old.old.w"))
        .isInstanceOfSatisfying(
            Refused.class, refused -> assertThat(refused.reason()).hasSizeLessThan(500));
  }

  @Test
  void onlyTheFamiliesOfTheLayoutAreActive() {
    RuleSet huggingface = RuleSet.of(List.of(SHORTEN), "huggingface");

    assertThat(huggingface.families()).isEmpty();
    assertThat(huggingface.outcome("a.old.w")).isEqualTo(new Unchanged());
    assertThat(shardedState(SHORTEN).families()).containsExactly(SHORTEN);
  }

  @Test
  void anUnknownLayoutAndAFamilyGivenTwiceAreRefused() {
    assertThatThrownBy(() -> RuleSet.of(List.of(SHORTEN), "gguf"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'gguf' is no layout");
    assertThatThrownBy(() -> shardedState(SHORTEN, SHORTEN))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Two families are named 'shorten'");
  }

  @Test
  void theCanonicalTextHoldsNamesPatternsAndResultsInOneOrder() {
    RuleFamily other = family("other", rule("a\"b", "c", "a\"b", "c"));

    assertThat(shardedState(SHORTEN, other).canonicalJson())
        .isEqualTo(
            "[{\"name\":\"other\",\"rules\":[{\"from\":\"a\\\"b\",\"to\":\"c\"}]},"
                + "{\"name\":\"shorten\",\"rules\":["
                + "{\"from\":\"(?<x>.*)\\\\.old\\\\.(?<p>.+)\",\"to\":\"${x}.${p}\"}]}]")
        .isEqualTo(shardedState(other, SHORTEN).canonicalJson());
    assertThat(shardedState(new RuleFamily[0]).canonicalJson()).isEqualTo("[]");
  }

  @Test
  void aRuleSetArrivesOnAnExecutorAsItWas() throws IOException, ClassNotFoundException {
    RuleSet sent = RuleSet.of(BuiltinRules.all(), "sharded_state");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(sent);
    }
    RuleSet arrived;
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      arrived = (RuleSet) in.readObject();
    }

    assertThat(arrived.families()).isEqualTo(sent.families());
    assertThat(arrived.canonicalJson()).isEqualTo(sent.canonicalJson());
    assertThat(arrived.outcome("a.base_layer.weight"))
        .isEqualTo(new Renamed("a.weight", "lora-base-layer#1"));
  }

  @Property(tries = 500)
  void anOutcomeIsDeterministicAndARenamedNameStaysAsItIs(
      @ForAll("names") String name, @ForAll("families") List<RuleFamily> families) {
    RuleSet rules = RuleSet.of(families, "sharded_state");
    NameOutcome outcome = rules.outcome(name);

    assertThat(rules.outcome(name)).isEqualTo(outcome);
    assertThat(RuleSet.of(reversed(families), "sharded_state").outcome(name)).isEqualTo(outcome);
    if (outcome instanceof Renamed renamed) {
      assertThat(renamed.target()).isNotEqualTo(name).isNotEmpty();
      assertThat(rules.outcome(renamed.target())).isEqualTo(new Unchanged());
    }
  }

  private static List<RuleFamily> reversed(List<RuleFamily> families) {
    return families.stream().sorted((a, b) -> b.name().compareTo(a.name())).toList();
  }

  /** Names of the segments that rules look for, in any order, so that many of them match. */
  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of(
            "model",
            "language_model",
            "layers",
            "0",
            "self_attn",
            "linear_attn",
            "attn",
            "attn_mha",
            "kv_b_proj",
            "mlp",
            "gate",
            "experts",
            "e_score_correction_bias",
            "correction_bias",
            "dt_bias",
            "A_log",
            "base_layer",
            "_orig_mod",
            "visual",
            "lm_head",
            "weight",
            "norm")
        .list()
        .ofMinSize(1)
        .ofMaxSize(7)
        .map(segments -> String.join(".", segments));
  }

  @Provide
  Arbitrary<List<RuleFamily>> families() {
    return Arbitraries.of(BuiltinRules.all()).list().uniqueElements().ofMaxSize(4);
  }
}
