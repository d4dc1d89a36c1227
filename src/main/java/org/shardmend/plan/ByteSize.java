package org.shardmend.plan;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes in bytes as people write and read them: {@code 1500GB} and {@code 5GiB}.
 *
 * <p>Units are those of IEC 80000-13: kB, MB, GB, TB and PB count in thousands, KiB, MiB, GiB, TiB
 * and PiB in 1,024s. Case does not matter. A single letter ({@code 5G}) is refused, because tools
 * disagree about what it means.
 */
public final class ByteSize {
  private static final Pattern WRITTEN =
      Pattern.compile("(?<number>[0-9]{1,19}(\\.[0-9]{1,18})?) ?(?<unit>[A-Za-z]*)");

  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("b", 1L),
          Map.entry("kb", 1_000L),
          Map.entry("mb", 1_000_000L),
          Map.entry("gb", 1_000_000_000L),
          Map.entry("tb", 1_000_000_000_000L),
          Map.entry("pb", 1_000_000_000_000_000L),
          Map.entry("kib", 1L << 10),
          Map.entry("mib", 1L << 20),
          Map.entry("gib", 1L << 30),
          Map.entry("tib", 1L << 40),
          Map.entry("pib", 1L << 50));

  private static final String[] READABLE_UNITS = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

  private ByteSize() {}

  /**
   * The number of bytes that {@code text} stands for.
   *
   * @param text a number, perhaps with a fraction, perhaps with a unit: {@code 4096}, {@code
   *     1.5TB}, {@code 5 GiB}
   * @throws IllegalArgumentException when it is no size, no whole number of bytes, or does not fit
   *     into a {@code long}; the message says what would be right
   */
  public static long parse(String text) {
    Matcher written = WRITTEN.matcher(text);
    if (!written.matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a size. Write bytes, or a number with a unit: 100MB, 1500GB, 5GiB."
              .formatted(text));
    }
    BigDecimal bytes =
        new BigDecimal(written.group("number")).multiply(unit(text, written.group("unit")));
    if (bytes.stripTrailingZeros().scale() > 0) {
      throw new IllegalArgumentException(
          "The size '%s' is not a whole number of bytes.".formatted(text));
    }
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException(
          "The size '%s' is too large: the limit is %d bytes.".formatted(text, Long.MAX_VALUE));
    }
    return bytes.longValueExact();
  }

  private static BigDecimal unit(String text, String unit) {
    Long bytes = UNITS.get(unit.toLowerCase(Locale.ROOT));
    if (bytes == null) {
      throw new IllegalArgumentException(
          "The size '%s' has an unknown unit, '%s'. Units are kB, MB, GB, TB, PB (thousands) and KiB, MiB, GiB, TiB, PiB (1,024s)."
              .formatted(text, unit));
    }
    return BigDecimal.valueOf(bytes);
  }

  /**
   * A size for people, in decimal units with at most one digit after the point: {@code 512 B},
   * {@code 4.2 MB}, {@code 1.5 TB}, {@code 640 GB}.
   *
   * @param bytes at least 0
   * @throws IllegalArgumentException when it is negative
   */
  public static String format(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("A size cannot be negative: " + bytes);
    }
    BigDecimal value = BigDecimal.valueOf(bytes);
    int unit = 0;
    BigDecimal shown = value;
    while (shown.compareTo(BigDecimal.valueOf(1000)) >= 0) {
      unit++;
      value = value.movePointLeft(3);
      shown = rounded(value);
    }
    return shown.toPlainString() + " " + READABLE_UNITS[unit];
  }

  private static BigDecimal rounded(BigDecimal value) {
    int digits = value.compareTo(BigDecimal.valueOf(100)) < 0 ? 1 : 0;
    BigDecimal rounded = value.setScale(digits, RoundingMode.HALF_UP).stripTrailingZeros();
    return rounded.scale() < 0 ? rounded.setScale(0) : rounded;
  }
}
