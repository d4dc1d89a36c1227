package org.shardmend.report;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * One value per rank, as a grid of colored cells: pipeline stages downwards, tensor-parallel ranks
 * to the right; the other way round where that would be too wide. Ranks of one dimension alone are
 * laid out line by line.
 *
 * @param title what the values are
 * @param width of the drawing
 * @param height of the drawing
 * @param cells the cells
 * @param columns labels above
 * @param rows labels on the left
 * @param legend what the colors stand for
 */
record HeatMap(
    String title,
    int width,
    int height,
    List<Cell> cells,
    List<Label> columns,
    List<Label> rows,
    Legend legend) {
  private static final int GUTTER = 46;
  private static final int TOP = 20;
  private static final int MAX_PITCH_X = 64;
  private static final int MAX_PITCH_Y = 30;
  private static final int MIN_PITCH = 4;
  private static final int LOWEST_WITH_TEXT = 16;
  private static final double CHARACTER_WIDTH = 6.4;
  private static final int MAX_COLUMNS = 32;
  private static final int LABEL_WIDTH = 22;
  private static final int LABEL_HEIGHT = 14;

  /** Number of colors for values above zero. */
  private static final int COLORS = 5;

  /**
   * A cell.
   *
   * @param color the class of its color: {@code q0} for zero, then {@code q1} to {@code q5}
   * @param text what stands inside, if there is room; may be empty
   * @param about what it is, in words
   */
  record Cell(
      int x,
      int y,
      int width,
      int height,
      int middleX,
      int middleY,
      String color,
      String text,
      String about) {}

  /** A label of a column or a row. */
  record Label(int x, int y, String text) {}

  /**
   * What the colors stand for.
   *
   * @param zero what {@code q0} stands for; empty when no cell has it
   * @param lowest the lowest value above zero; empty when there is one such value or none
   * @param colors from the lowest to the highest value
   * @param highest the highest value; empty when all are zero
   */
  record Legend(String zero, String lowest, List<String> colors, String highest) {}

  private record Position(int column, int row) {}

  /**
   * The grid of these values.
   *
   * @param format a value as text
   */
  static HeatMap of(
      String title, SortedMap<ReportData.Rank, Long> values, LongFunction<String> format) {
    return new Layout(values.keySet()).draw(title, values, new Scale(values.values(), format));
  }

  /** Which color a value has. */
  private static final class Scale {
    /** Values that differ by less than a 20th of the highest get one color: they are alike. */
    private static final int ABOUT_EQUAL = 20;

    private static final String MIDDLE = "q3";

    private final LongFunction<String> format;
    private final long min;
    private final long max;
    private final boolean hasZero;
    private final boolean even;

    Scale(Iterable<Long> values, LongFunction<String> format) {
      this.format = format;
      long lowest = Long.MAX_VALUE;
      long highest = 0;
      boolean zero = false;
      for (long value : values) {
        zero |= value == 0;
        highest = Math.max(highest, value);
        lowest = value > 0 ? Math.min(lowest, value) : lowest;
      }
      this.min = lowest;
      this.max = highest;
      this.hasZero = zero;
      this.even = highest - lowest <= highest / ABOUT_EQUAL;
    }

    String color(long value) {
      if (value == 0) {
        return "q0";
      }
      if (even) {
        return MIDDLE;
      }
      double share = (double) (value - min) / (max - min);
      return "q" + (1 + Math.min(COLORS - 1, (int) (share * COLORS)));
    }

    Legend legend() {
      String zero = hasZero ? format.apply(0) : "";
      if (max == 0) {
        return new Legend(zero, "", List.of(), "");
      }
      if (even) {
        return new Legend(
            zero, min == max ? "" : format.apply(min), List.of(MIDDLE), format.apply(max));
      }
      return new Legend(
          zero, format.apply(min), List.of("q1", "q2", "q3", "q4", "q5"), format.apply(max));
    }
  }

  /** Where the ranks are. */
  private static final class Layout {
    private final List<ReportData.Rank> ranks;
    private final List<Integer> stages;
    private final List<Integer> tensorRanks;
    private final int columns;
    private final int rows;
    private final boolean oneDimension;
    private final boolean stagesAcross;

    Layout(Iterable<ReportData.Rank> all) {
      SortedSet<Integer> pp = new TreeSet<>();
      SortedSet<Integer> tp = new TreeSet<>();
      List<ReportData.Rank> list = new ArrayList<>();
      for (ReportData.Rank rank : all) {
        pp.add(rank.pp());
        tp.add(rank.tp());
        list.add(rank);
      }
      ranks = list;
      stages = List.copyOf(pp);
      tensorRanks = List.copyOf(tp);
      oneDimension = stages.size() == 1 || tensorRanks.size() == 1;
      stagesAcross = tensorRanks.size() > MAX_COLUMNS && stages.size() < tensorRanks.size();
      columns =
          oneDimension
              ? lineLength(ranks.size())
              : stagesAcross ? stages.size() : tensorRanks.size();
      rows =
          oneDimension
              ? (ranks.size() + columns - 1) / columns
              : stagesAcross ? tensorRanks.size() : stages.size();
    }

    private static int lineLength(int count) {
      if (count <= 8) {
        return count;
      }
      return count <= 64 ? 8 : count <= 512 ? 16 : MAX_COLUMNS;
    }

    HeatMap draw(String title, SortedMap<ReportData.Rank, Long> values, Scale scale) {
      int pitchX = Math.max(MIN_PITCH, Math.min(MAX_PITCH_X, (Svg.WIDTH - GUTTER) / columns));
      int pitchY = Math.min(MAX_PITCH_Y, pitchX);
      int gap = pitchX > 12 ? 2 : 1;
      int width = pitchX - gap;
      int height = pitchY - gap;
      boolean hasText =
          height >= LOWEST_WITH_TEXT
              && values.values().stream()
                  .allMatch(value -> scale.format.apply(value).length() * CHARACTER_WIDTH < width);
      List<Cell> cells = new ArrayList<>();
      for (int index = 0; index < ranks.size(); index++) {
        ReportData.Rank rank = ranks.get(index);
        Position at = position(index, rank);
        int x = GUTTER + at.column() * pitchX;
        int y = TOP + at.row() * pitchY;
        String text = scale.format.apply(values.get(rank));
        cells.add(
            new Cell(
                x,
                y,
                width,
                height,
                x + width / 2,
                y + height / 2,
                scale.color(values.get(rank)),
                hasText ? text : "",
                PageText.ranks(List.of(rank)) + ": " + text));
      }
      return new HeatMap(
          title,
          GUTTER + columns * pitchX,
          TOP + rows * pitchY,
          cells,
          columnLabels(pitchX, width),
          rowLabels(pitchY, height),
          scale.legend());
    }

    private Position position(int index, ReportData.Rank rank) {
      if (oneDimension) {
        return new Position(index % columns, index / columns);
      }
      int stage = stages.indexOf(rank.pp());
      int tensorRank = tensorRanks.indexOf(rank.tp());
      return stagesAcross ? new Position(stage, tensorRank) : new Position(tensorRank, stage);
    }

    private List<Label> columnLabels(int pitch, int size) {
      if (oneDimension) {
        return List.of();
      }
      List<Integer> numbers = stagesAcross ? stages : tensorRanks;
      List<Label> labels = new ArrayList<>();
      labels.add(new Label(GUTTER / 2, TOP - 7, stagesAcross ? "pp →" : "tp →"));
      int every = everyNth(LABEL_WIDTH, pitch);
      for (int column = 0; column < columns; column += every) {
        labels.add(
            new Label(GUTTER + column * pitch + size / 2, TOP - 7, numbers.get(column).toString()));
      }
      return labels;
    }

    private List<Label> rowLabels(int pitch, int size) {
      List<Label> labels = new ArrayList<>();
      int every = everyNth(LABEL_HEIGHT, pitch);
      for (int row = 0; row < rows; row += every) {
        labels.add(new Label(GUTTER - 6, TOP + row * pitch + size / 2, rowLabel(row)));
      }
      return labels;
    }

    private String rowLabel(int row) {
      if (oneDimension) {
        ReportData.Rank first = ranks.get(row * columns);
        return tensorRanks.size() > 1 ? "tp " + first.tp() : "pp " + first.pp();
      }
      return stagesAcross ? "tp " + tensorRanks.get(row) : "pp " + stages.get(row);
    }

    /** Labels that would overlap are left out: every second, fifth, tenth and so on stays. */
    private static int everyNth(int needed, int pitch) {
      int power = 1;
      while (true) {
        for (int factor : new int[] {1, 2, 5}) {
          if (factor * power * pitch >= needed) {
            return factor * power;
          }
        }
        power *= 10;
      }
    }
  }

  /** Sums a value per rank. */
  static SortedMap<ReportData.Rank, Long> sums(
      List<ReportData.Shard> shards, ToLongFunction<ReportData.Shard> value) {
    SortedMap<ReportData.Rank, Long> sums = new TreeMap<>();
    for (ReportData.Shard shard : shards) {
      sums.merge(shard.rank(), value.applyAsLong(shard), Long::sum);
    }
    return sums;
  }
}
