package org.shardmend.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** A pattern that would keep a task busy is found out where rules are read. */
class PatternTrialTest {
  /** 2^28 ways to match nothing at the end of "a", and no character to count there. */
  private static final String BUSY = "a" + "(?:|)".repeat(28) + "b";

  @Test
  void anHonestPatternIsLeftInPeace() {
    assertThatCode(() -> tryOn("(?<x>.*)\\.old\\.(?<p>.+)", "model.layers.0.old.weight"))
        .doesNotThrowAnyException();
  }

  @Test
  void aPatternThatIsBusyWithoutReadingIsRefused() {
    assertThatThrownBy(() -> tryOn(BUSY, "ab", Duration.ofMillis(50)))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessageContaining("no answer on a name like the examples after 50 ms");
  }

  @Test
  void aPatternThatBacktracksTooMuchOnAPrefixOfItsExampleIsRefused() {
    assertThatThrownBy(() -> tryOn("(?<x>.*.*.*.*.*.*)=", "a".repeat(60) + "="))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessageContaining("backtracks too much")
        .hasMessageContaining("nested or overlapping repetitions");
  }

  @Test
  void aPatternThatBacktracksTooMuchOnALongerNameIsRefused() {
    assertThatThrownBy(() -> tryOn("(?<x>.*.*.*.*.*.*)=?b", "a".repeat(60) + "b"))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessageContaining("backtracks too much");
  }

  @Test
  void aPatternThatRecursesTooDeeplyOnItsExampleIsRefused() {
    assertThatThrownBy(() -> tryOn("(?<x>(?:a|bc)*)=", "a".repeat(1_000_000) + "="))
        .isInstanceOf(InvalidRuleException.class)
        .hasMessageContaining("recurses too deeply");
  }

  @Test
  void anInterruptionIsPassedOn() {
    Thread.currentThread().interrupt();
    try {
      // A trial that is over is not waited for, and nothing is said then.
      assertThatThrownBy(() -> tryOn(BUSY, "ab")).isInstanceOf(CancellationException.class);
    } finally {
      // Clears the flag for the tests that follow on this thread.
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  private static void tryOn(String pattern, String example) {
    tryOn(pattern, example, Duration.ofSeconds(30));
  }

  private static void tryOn(String pattern, String example, Duration patience) {
    PatternTrial.run(Pattern.compile(pattern), List.of(example), patience);
  }
}
