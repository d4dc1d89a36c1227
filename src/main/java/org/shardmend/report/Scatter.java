package org.shardmend.report;

import java.util.ArrayList;
import java.util.List;
import org.shardmend.plan.ByteSize;

/**
 * Shards by size, to the right, and time, upwards.
 *
 * @param width of the drawing
 * @param height of the drawing
 * @param dots one per shard
 * @param xMarks sizes below
 * @param yMarks times on the left
 * @param left where the field begins
 * @param right where it ends
 * @param bottom where it stands
 * @param legend the strategies, when there are several
 */
record Scatter(
    int width,
    int height,
    List<Dot> dots,
    List<Axis.Mark> xMarks,
    List<Axis.Mark> yMarks,
    int left,
    int right,
    int bottom,
    List<Series> legend) {
  private static final int HEIGHT = 200;
  private static final int LEFT = 48;
  private static final int RIGHT = 296;
  private static final int TOP = 10;
  private static final int BOTTOM = 172;

  /**
   * A shard.
   *
   * @param series the class of its color: {@code s0} and so on, by strategy
   */
  record Dot(double x, double y, double radius, String series, String about) {}

  /** A strategy and the class of its color. */
  record Series(String series, String name) {}

  static Scatter of(List<ReportData.Shard> shards) {
    Axis x =
        Axis.upTo(shards.stream().mapToDouble(ReportData.Shard::targetBytes).max().orElse(0), 4);
    Axis y = Axis.upTo(shards.stream().mapToDouble(ReportData.Shard::seconds).max().orElse(0), 4);
    List<String> strategies =
        shards.stream().map(ReportData.Shard::strategy).distinct().sorted().toList();
    double radius = shards.size() > 500 ? 2 : shards.size() > 100 ? 3 : 4;
    List<Dot> dots = new ArrayList<>();
    for (ReportData.Shard shard : shards) {
      dots.add(
          new Dot(
              Svg.round(LEFT + x.at((double) shard.targetBytes(), RIGHT - LEFT)),
              Svg.round(BOTTOM - y.at(shard.seconds(), BOTTOM - TOP)),
              radius,
              "s" + strategies.indexOf(shard.strategy()),
              "%s: %s, %s, %s"
                  .formatted(
                      PageText.text(shard.name()),
                      ByteSize.format(shard.targetBytes()),
                      PageText.seconds(shard.seconds()),
                      PageText.text(shard.strategy()))));
    }
    List<Series> legend = new ArrayList<>();
    for (int i = 0; i < strategies.size(); i++) {
      legend.add(new Series("s" + i, PageText.text(strategies.get(i))));
    }
    return new Scatter(
        Svg.WIDTH,
        HEIGHT,
        dots,
        x.marks(LEFT, RIGHT - LEFT, 1, bytes -> ByteSize.format(Math.round(bytes))),
        y.marks(BOTTOM, BOTTOM - TOP, -1, PageText::tick),
        LEFT,
        RIGHT,
        BOTTOM,
        legend.size() > 1 ? legend : List.of());
  }
}
