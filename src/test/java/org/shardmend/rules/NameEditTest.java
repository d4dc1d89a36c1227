package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class NameEditTest {
  private static final String ALIAS = "model.layers.7.self_attn.attn_mha.kv_b_proj.weight";
  private static final String CANONICAL = "model.layers.7.self_attn.kv_b_proj.weight";

  @Test
  void anEditIsWhatOnlyOneOfTheNamesHas() {
    NameEdit edit = NameEdit.between(ALIAS, CANONICAL);

    assertThat(edit.before()).containsExactly("model", "layers", "7", "self_attn");
    assertThat(edit.from()).containsExactly("attn_mha");
    assertThat(edit.to()).isEmpty();
    assertThat(edit.after()).containsExactly("kv_b_proj", "weight");
    assertThat(edit.leavesOut()).isTrue();
    assertThat(edit.keepsMost()).isTrue();
  }

  @Test
  void namesThatHaveLittleInCommonAreNoEditOfEachOther() {
    assertThat(NameEdit.between("lm_head.weight", "model.embed_tokens.weight").keepsMost())
        .isFalse();
  }

  @Property
  void anEditMakesTheOneNameOfTheOther(@ForAll("names") String one, @ForAll("names") String other) {
    NameEdit edit = NameEdit.between(one, other);

    assertThat(edit.source()).isEqualTo(one);
    assertThat(edit.target()).isEqualTo(other);
  }

  @Property(tries = 200)
  void aRuleOfAnyReachMakesTheEdit(@ForAll("names") String one, @ForAll("names") String other) {
    NameEdit edit = NameEdit.between(one, other);
    if (one.equals(other)) {
      return;
    }
    for (RuleReach reach : RuleReach.values()) {
      Optional<Rule> rule = reach.rule(edit.generalised(), List.of(new RuleExample(one, other)));
      assertThat(rule.isPresent()).isEqualTo(reach == RuleReach.SAME_NAMES || hasEnd(edit));
      rule.ifPresent(made -> assertThat(made.apply(one)).contains(other));
    }
  }

  private static boolean hasEnd(NameEdit edit) {
    return !edit.after().isEmpty();
  }

  @Test
  void theReachesAreTheSameNamesTheSameModulesAndAllBehind() {
    NameEdit edit = NameEdit.between(ALIAS, CANONICAL).generalised();

    assertThat(from(RuleReach.SAME_NAMES, edit))
        .isEqualTo(
            "(?<before>model\\.layers\\.[0-9]+\\.self_attn)\\.attn_mha\\."
                + "(?<after>kv_b_proj\\.weight)");
    assertThat(from(RuleReach.PARAMETERS, edit)).endsWith("(?<after>kv_b_proj\\.[^.]+)");
    assertThat(from(RuleReach.ALL_BEHIND, edit)).endsWith("attn_mha\\.(?<after>.+)");
  }

  private static String from(RuleReach reach, NameEdit edit) {
    return reach.rule(edit, List.of(new RuleExample(ALIAS, CANONICAL))).orElseThrow().from();
  }

  @Test
  void aNameThatNoRuleCanGiveHasNone() {
    NameEdit edit = NameEdit.between("a.b.w", "a.$b.w");

    assertThat(RuleReach.SAME_NAMES.rule(edit, List.of(new RuleExample("a.b.w", "a.$b.w"))))
        .isEmpty();
  }

  @Test
  void aFamilyIsReadBackAsItWasWritten() throws RuleException {
    Rule rule =
        Rule.of(
            "(?<a>\\Q\"\\\\\u00e9\\E.*)\\.x",
            "${a}.y\u2028",
            List.of(new RuleExample("\"\\\\\u00e9.x", "\"\\\\\u00e9.y\u2028")));
    RuleFamily family = new RuleFamily("f", "A\nb", List.of("presharded"), true, List.of(rule));

    assertThat(RuleReader.read(RuleWriter.write(family), "f.json")).isEqualTo(family);
  }

  @Provide
  Arbitrary<String> names() {
    return Arbitraries.of("model", "layers", "0", "12", "a-b", "w+", "(x)", "\u00e9", "[", "_")
        .list()
        .ofMinSize(1)
        .ofMaxSize(6)
        .map(parts -> String.join(".", parts));
  }
}
