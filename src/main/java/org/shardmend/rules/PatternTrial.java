package org.shardmend.rules;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Tries a new pattern on its examples and on names that nearly match, on a thread of its own.
 *
 * <p>{@link BoundedText} stops a match that reads too much. The JDK's engine can also be busy
 * without reading anything: at the end of a name, and in counted repetitions of nothing ({@code
 * (?:(?:){99999}){99999}}). Such a match cannot be stopped, only left behind; so patterns are tried
 * once, where rules are read, and one that does not come back is refused before any task gets it.
 */
final class PatternTrial {
  /** An honest pattern takes microseconds; the rest is patience with a busy machine. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Prefixes of longer names add nothing. */
  private static final int LONGEST_PREFIX = 500;

  private PatternTrial() {}

  /**
   * Tries the pattern.
   *
   * @param examples names that it is meant for
   * @throws InvalidRuleException if it does not answer in time or within its limits
   */
  static void run(Pattern pattern, List<String> examples, Duration patience) {
    FutureTask<Void> trial =
        new FutureTask<>(() -> examples.forEach(name -> tryAround(pattern, name)), null);
    Thread thread = new Thread(trial, "rule-pattern-trial");
    thread.setDaemon(true);
    thread.start();
    try {
      trial.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw refusal(
          String.format("no answer on a name like the examples after %,d ms", patience.toMillis()),
          e);
    } catch (ExecutionException e) {
      throw refusal(
          e.getCause() instanceof StackOverflowError
              ? "it recurses too deeply on a name like the examples"
              : e.getCause().getMessage(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("Interrupted while a rule's pattern was tried");
    }
  }

  private static void tryAround(Pattern pattern, String name) {
    for (int end = 0; end < Math.min(name.length(), LONGEST_PREFIX); end++) {
      tryOn(pattern, name.substring(0, end));
    }
    tryOn(pattern, name);
    tryOn(pattern, name + '~');
  }

  private static void tryOn(Pattern pattern, String name) {
    // Whether it matches is the examples' question; here it only has to answer.
    boolean unused = pattern.matcher(new BoundedText(name)).matches();
  }

  private static InvalidRuleException refusal(String why, Exception cause) {
    InvalidRuleException invalid =
        new InvalidRuleException(
            "from",
            String.format("The pattern takes too long: %s.", why),
            "Write it without nested or overlapping repetitions, such as (a*)* or (a|aa)+.");
    invalid.initCause(cause);
    return invalid;
  }
}
