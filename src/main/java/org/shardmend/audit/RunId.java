package org.shardmend.audit;

import java.io.Serializable;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of one run: {@code r}, the UTC second in which it began, {@code -}, and 8 random hex
 * digits, such as {@code r20261130T081500Z-1a2b3c4d}.
 *
 * <p>Names sort by time, are safe in file names and in partition values, and never read as a
 * number. The random part keeps runs apart that begin in the same second; it needs no secrecy.
 *
 * @param value the name
 */
public record RunId(String value) implements Serializable, Comparable<RunId> {
  private static final Pattern FORM =
      Pattern.compile("r(\\d{4})(\\d{2})\\d{2}T\\d{6}Z-[0-9a-f]{8}");
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  /**
   * A run's name as read from an argument, a file name or a table.
   *
   * @throws IllegalArgumentException if it does not have the form
   */
  public RunId {
    if (!isRunId(value)) {
      throw new IllegalArgumentException(
          "Not a run id: '%s'. One looks like r20261130T081500Z-1a2b3c4d.".formatted(value));
    }
  }

  /** A new name for a run that begins now. */
  public static RunId next(Clock clock, RandomGenerator random) {
    return at(clock.instant(), random.nextInt());
  }

  private static RunId at(Instant began, int salt) {
    return new RunId("r%s-%08x".formatted(SECOND.format(began), salt));
  }

  /** Whether a text has the form of a run's name. */
  public static boolean isRunId(String text) {
    return FORM.matcher(text).matches();
  }

  /** The month in which the run began, in UTC, as {@code yyyy-mm}: the partition of its rows. */
  public String month() {
    Matcher form = FORM.matcher(value);
    if (!form.matches()) {
      throw new IllegalStateException("A run id lost its form: " + value);
    }
    return form.group(1) + "-" + form.group(2);
  }

  @Override
  public int compareTo(RunId other) {
    return value.compareTo(other.value);
  }

  /** The name itself. */
  @Override
  public String toString() {
    return value;
  }
}
