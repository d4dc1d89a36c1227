package org.shardmend.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/**
 * A linear axis from zero, with ticks at round values.
 *
 * @param max the value at its end, at least the largest that is shown
 * @param ticks from zero to {@code max}
 */
record Axis(double max, List<Double> ticks) {

  /**
   * An axis for values up to {@code largest}.
   *
   * @param parts about how many parts it is divided into
   */
  static Axis upTo(double largest, int parts) {
    double step = roundStep(largest > 0 ? largest / parts : 1.0 / parts);
    int steps = Math.max(1, (int) Math.ceil(largest / step - 1e-9));
    List<Double> ticks = new ArrayList<>();
    for (int i = 0; i <= steps; i++) {
      ticks.add(i * step);
    }
    return new Axis(steps * step, ticks);
  }

  /** The next 1, 2 or 5 times a power of ten. */
  private static double roundStep(double atLeast) {
    double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
    for (double factor : new double[] {1, 2, 5}) {
      if (factor * power >= atLeast * (1 - 1e-9)) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  /** Where a value lies on an axis of this length. */
  double at(double value, double length) {
    return value / max * length;
  }

  /** The ticks as marks on an axis of this length, from {@code start} in direction {@code sign}. */
  List<Mark> marks(double start, double length, int sign, DoubleFunction<String> label) {
    return ticks.stream()
        .map(tick -> new Mark(Svg.round(start + sign * at(tick, length)), label.apply(tick)))
        .toList();
  }

  /**
   * A labeled place on an axis.
   *
   * @param at in pixels of the drawing
   * @param label what stands there
   */
  record Mark(double at, String label) {}
}
