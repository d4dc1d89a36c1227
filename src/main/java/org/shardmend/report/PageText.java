package org.shardmend.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardmend.safetensors.DisplayName;

/** Values as the page shows them. */
final class PageText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private PageText() {}

  /**
   * A text that came from a file. Characters that a browser would not show, or that would turn the
   * direction of what follows, are spelled out as {@code \}{@code u202e}.
   */
  static String text(String raw) {
    StringBuilder shown = new StringBuilder(raw.length());
    for (int i = 0; i < raw.length(); ) {
      int codePoint = raw.codePointAt(i);
      if (DisplayName.isVisible(codePoint)) {
        shown.appendCodePoint(codePoint);
      } else {
        shown.append("\\u%04x".formatted(codePoint));
      }
      i += Character.charCount(codePoint);
    }
    return shown.toString();
  }

  static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** A number with its noun: {@code 1 tensor}, {@code 12 tensors}. */
  static String count(long number, String noun) {
    return number(number) + " " + noun + (number == 1 ? "" : "s");
  }

  static String time(Instant instant) {
    return TIME.format(instant);
  }

  static String duration(Duration time) {
    return seconds(time.toMillis() / 1000.0);
  }

  static String seconds(double seconds) {
    if (seconds < 10) {
      return String.format(Locale.ROOT, "%.2f s", seconds);
    }
    if (seconds < 120) {
      return String.format(Locale.ROOT, "%.1f s", seconds);
    }
    long whole = Math.round(seconds);
    return whole < 7200
        ? "%d min %02d s".formatted(whole / 60, whole % 60)
        : "%d h %02d min".formatted(whole / 3600, whole % 3600 / 60);
  }

  /** Seconds at an axis, without digits that say nothing: {@code 0.5 s}, {@code 10 s}. */
  static String tick(double seconds) {
    return BigDecimal.valueOf(seconds)
            .round(new MathContext(3))
            .stripTrailingZeros()
            .toPlainString()
        + " s";
  }

  /** Ranks in few words: {@code pp 0–7 · tp 0–3} when they fill that grid. */
  static String ranks(List<ReportData.Rank> ranks) {
    SortedMap<SortedSet<Integer>, SortedSet<Integer>> stagesByTp = stagesByTp(ranks);
    List<String> groups = new ArrayList<>();
    stagesByTp.forEach(
        (tps, stages) -> {
          List<String> parts = new ArrayList<>();
          if (stages.first() >= 0) {
            parts.add("pp " + ranges(stages));
          }
          if (tps.first() >= 0) {
            parts.add("tp " + ranges(tps));
          }
          groups.add(parts.isEmpty() ? "all ranks" : String.join(" · ", parts));
        });
    return String.join("; ", groups);
  }

  /** Stages with the same set of tensor ranks are named together. */
  private static SortedMap<SortedSet<Integer>, SortedSet<Integer>> stagesByTp(
      List<ReportData.Rank> ranks) {
    SortedMap<Integer, SortedSet<Integer>> tpsByStage = new TreeMap<>();
    for (ReportData.Rank rank : ranks) {
      tpsByStage.computeIfAbsent(rank.pp(), stage -> new TreeSet<>()).add(rank.tp());
    }
    SortedMap<SortedSet<Integer>, SortedSet<Integer>> stages =
        new TreeMap<>(Comparator.comparing(Object::toString));
    tpsByStage.forEach(
        (stage, tps) -> stages.computeIfAbsent(tps, key -> new TreeSet<>()).add(stage));
    return stages;
  }

  private static String ranges(SortedSet<Integer> numbers) {
    List<String> ranges = new ArrayList<>();
    int begin = numbers.first();
    int end = begin;
    for (int number : numbers) {
      if (number > end + 1) {
        ranges.add(range(begin, end));
        begin = number;
      }
      end = number;
    }
    ranges.add(range(begin, end));
    return String.join(", ", ranges);
  }

  private static String range(int begin, int end) {
    return begin == end ? Integer.toString(begin) : begin + "–" + end;
  }
}
