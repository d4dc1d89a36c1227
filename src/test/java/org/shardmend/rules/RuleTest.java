package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RuleTest {
  private static final Rule SHORTEN =
      Families.rule("(?<x>.*)\\.old\\.(?<p>.+)", "${x}.${p}", "a.old.weight", "a.weight");

  @Test
  void aPatternMatchesTheWholeNameOrNothing() {
    Rule rule = Families.rule("old\\.weight", "new.weight", "old.weight", "new.weight");

    assertThat(rule.apply("old.weight")).contains("new.weight");
    assertThat(rule.apply("a.old.weight")).isEmpty();
    assertThat(rule.apply("old.weight_scale")).isEmpty();
    assertThat(rule.apply("old.weight\n")).isEmpty();
  }

  @Test
  void aNameMayHoldAnyCharacter() {
    assertThat(SHORTEN.apply("a\nb.old.we\u0000ight")).contains("a\nb.we\u0000ight");
    assertThat(SHORTEN.apply("\ud83d\ude00.old.\u202e")).contains("\ud83d\ude00.\u202e");
  }

  @Test
  void textOfTheNameIsNeverTakenForAReference() {
    assertThat(SHORTEN.apply("${p}$1\\.old.${x}")).contains("${p}$1\\.${x}");
  }

  @Test
  void aGroupThatTookNoPartLeavesItsHoleEmpty() {
    Rule rule = Families.rule("(?:(?<x>.+)\\.)?old", "${x}new", "old", "new");

    assertThat(rule.apply("old")).contains("new");
    assertThat(rule.apply("a.old")).contains("anew");
  }

  @Test
  void anExampleThatDoesNotHoldIsAnIllegalArgument() {
    assertThatThrownBy(() -> Families.rule("a", "b", "a", "c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("makes 'b' of 'a', but the example expects 'c'");
    assertThatThrownBy(() -> Rule.of("a", "b", List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("There is no example");
  }

  @Test
  void aNameOfAHundredThousandCharactersIsRenamedExactly() {
    String prefix = "layer.".repeat(20_000);

    assertThat(SHORTEN.apply(prefix + "a.old.weight")).contains(prefix + "a.weight");
    assertThat(SHORTEN.apply(prefix + "a.new.weight")).isEmpty();
  }

  @Test
  void aPatternThatNeedsTooManyStepsOnANameGivesUp() {
    Rule slow = Families.rule("(?<x>.*.*.*.*.*)=1", "${x}", "a=1", "a");

    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () ->
            assertThatThrownBy(() -> slow.apply("a".repeat(500)))
                .isInstanceOf(RuleLimitException.class)
                .hasMessageContaining("backtracks too much"));
  }

  @Test
  void theStepsThatAMatchMayTakeGrowWithTheName() {
    BoundedText text = new BoundedText("abc");
    long steps = BoundedText.STEPS + 3 * BoundedText.STEPS_PER_CHARACTER;
    for (long i = 0; i < steps; i++) {
      assertThat(text.charAt((int) (i % 3))).isBetween('a', 'c');
    }

    assertThatThrownBy(() -> text.charAt(0))
        .isInstanceOf(RuleLimitException.class)
        .hasMessageContaining("no answer after 200,300 steps on a name of 3 characters");
  }

  @Test
  void aPatternThatRecursesTooDeeplyGivesUp() throws InterruptedException {
    Rule deep = Families.rule("(?<x>(?:a|bc)*)=", "${x}", "abca=", "abca");
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread thread =
        new Thread(
            null,
            () -> {
              try {
                deep.apply("a".repeat(100_000) + "=");
              } catch (RuleLimitException e) {
                thrown.set(e);
              }
            },
            "small-stack",
            256 * 1024);
    thread.start();
    thread.join();

    assertThat(thread.isAlive()).isFalse();
    assertThat(thrown.get())
        .isInstanceOf(RuleLimitException.class)
        .hasMessageContaining("recurses too deeply on a name of 100,001 characters");
  }

  @Test
  void aResultThatGrowsWithoutMeasureGivesUp() {
    Rule growing = Families.rule("(?<x>.+)=", "${x}".repeat(2_000), "a=", "a".repeat(2_000));

    assertThatThrownBy(() -> growing.apply("a".repeat(1_000) + "="))
        .isInstanceOf(RuleLimitException.class)
        .hasMessageContaining("longer than 1,000,000 characters");
  }

  @Test
  void aPatternNestedTooDeeplyIsRefused() {
    String pattern = "(?:".repeat(200_000) + "a" + ")".repeat(200_000);

    assertThatThrownBy(() -> Families.rule(pattern, "b", "a", "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Stack overflow");
  }
}
