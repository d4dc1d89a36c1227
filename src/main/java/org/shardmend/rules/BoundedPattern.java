package org.shardmend.rules;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression of Python's, out of a file that others wrote: it answers within bounds, or
 * says that it does not. For one thread.
 */
public final class BoundedPattern {
  /** A name like those that it is going to be tried on. */
  private static final String SAMPLE = "language_model.model.layers.10.self_attn.q_a_proj";

  /** Steps that all its answers together may cost: a second or two. */
  private static final long STEPS_IN_ALL = 200_000_000;

  private final Pattern pattern;
  private long stepsLeft = STEPS_IN_ALL;

  private BoundedPattern(Pattern pattern) {
    this.pattern = pattern;
  }

  /**
   * Compiles and tries it.
   *
   * @param regex as Python writes it, without what Java does not have
   * @throws IllegalArgumentException if Java does not understand it, or it takes too long; the
   *     message says why
   */
  public static BoundedPattern of(String regex) {
    Pattern pattern;
    try {
      pattern = Pattern.compile(regex.replace("(?P<", "(?<").replace("\\Z", "\\z"));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "it is no regular expression here: " + e.getDescription(), e);
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException("it is nested too deeply", e);
    }
    PatternTrial.run(pattern, List.of(SAMPLE), Duration.ofSeconds(1));
    return new BoundedPattern(pattern);
  }

  /**
   * Whether it matches from the start of {@code name} on, as Python's {@code re.match} does.
   *
   * @throws RuleLimitException if the answer, or all answers so far, take too many steps or too
   *     deep a recursion
   */
  public boolean matchesStart(String name) {
    if (stepsLeft < 0) {
      throw new RuleLimitException("its pattern takes too long on all these names together");
    }
    BoundedText text = new BoundedText(name);
    try {
      boolean matches = pattern.matcher(text).lookingAt();
      stepsLeft -= text.steps();
      return matches;
    } catch (StackOverflowError e) {
      throw new RuleLimitException("its pattern recurses too deeply");
    }
  }
}
