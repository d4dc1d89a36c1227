package org.shardmend.report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;
import java.util.function.LongFunction;

/**
 * How many shards have a value in which range.
 *
 * @param title what the values are
 * @param width of the drawing
 * @param height of the drawing
 * @param bars the ranges that have any
 * @param xMarks values below
 * @param yMarks counts on the left
 * @param left where the bars begin
 * @param right where they end
 * @param bottom where they stand
 */
record Histogram(
    String title,
    int width,
    int height,
    List<Bar> bars,
    List<Axis.Mark> xMarks,
    List<Axis.Mark> yMarks,
    int left,
    int right,
    int bottom) {
  private static final int HEIGHT = 200;
  private static final int LEFT = 40;
  private static final int RIGHT = 296;
  private static final int TOP = 10;
  private static final int BOTTOM = 172;
  private static final int BARS = 24;

  /**
   * A range of values.
   *
   * @param about the range and its count, in words
   */
  record Bar(double x, double y, double width, double height, String about) {}

  /**
   * The histogram of these values.
   *
   * @param values none negative
   */
  static Histogram of(String title, List<Double> values, DoubleFunction<String> format) {
    Axis x = Axis.upTo(values.stream().mapToDouble(Double::doubleValue).max().orElse(0), 4);
    long[] counts = new long[BARS];
    for (double value : values) {
      counts[Math.min(BARS - 1, (int) (value / x.max() * BARS))]++;
    }
    long most = 1;
    for (long count : counts) {
      most = Math.max(most, count);
    }
    Axis y = Axis.upTo((double) most, most < 4 ? (int) most : 4);
    return new Histogram(
        title,
        Svg.WIDTH,
        HEIGHT,
        bars(counts, x, y, format),
        x.marks(LEFT, RIGHT - LEFT, 1, format),
        y.marks(BOTTOM, BOTTOM - TOP, -1, count -> PageText.number(Math.round(count))),
        LEFT,
        RIGHT,
        BOTTOM);
  }

  private static List<Bar> bars(long[] counts, Axis x, Axis y, DoubleFunction<String> format) {
    LongFunction<String> edge = bar -> format.apply(x.max() * bar / BARS);
    double pitch = (double) (RIGHT - LEFT) / BARS;
    List<Bar> bars = new ArrayList<>();
    for (int bar = 0; bar < BARS; bar++) {
      if (counts[bar] > 0) {
        double height = Math.max(1.5, y.at((double) counts[bar], BOTTOM - TOP));
        bars.add(
            new Bar(
                Svg.round(LEFT + bar * pitch + 0.5),
                Svg.round(BOTTOM - height),
                Svg.round(pitch - 1),
                Svg.round(height),
                "%s to %s: %s"
                    .formatted(
                        edge.apply(bar),
                        edge.apply(bar + 1),
                        PageText.count(counts[bar], "shard"))));
      }
    }
    return bars;
  }
}
