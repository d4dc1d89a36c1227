package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardmend.report.HeatMap.Cell;
import org.shardmend.report.HeatMap.Label;
import org.shardmend.report.ReportData.Rank;

class HeatMapTest {
  private static final int LABEL_HEIGHT = 11;

  private static HeatMap grid(int pp, int tp) {
    SortedMap<Rank, Long> values = new TreeMap<>();
    IntStream.range(0, pp * tp)
        .forEach(index -> values.put(new Rank(index / tp, index % tp), (long) index));
    return HeatMap.of("values", values, PageText::number);
  }

  @ParameterizedTest
  @CsvSource({"1,2", "1,8", "8,4", "2,64", "40,8", "100,32", "32,100", "57,57", "1,3200", "3200,1"})
  void everyRankHasACellOfItsOwnOnADrawingThatFitsAPhone(int pp, int tp) {
    HeatMap map = grid(pp, tp);

    assertThat(map.width()).isLessThanOrEqualTo(Svg.WIDTH);
    assertThat(map.cells()).hasSize(pp * tp);
    assertThat(map.cells().stream().map(cell -> List.of(cell.x(), cell.y())).distinct())
        .hasSize(pp * tp);
    assertThat(map.cells())
        .allMatch(cell -> cell.width() >= 3 && cell.height() >= 3)
        .allMatch(cell -> cell.x() + cell.width() <= map.width())
        .allMatch(cell -> cell.y() + cell.height() <= map.height());
  }

  @ParameterizedTest
  @CsvSource({"8,4", "40,8", "100,32", "57,57", "1,3200"})
  void labelsDoNotTouch(int pp, int tp) {
    HeatMap map = grid(pp, tp);

    assertThat(gaps(map.rows().stream().map(Label::y).toList()))
        .allMatch(gap -> gap > LABEL_HEIGHT);
    assertThat(gaps(map.columns().stream().skip(1).map(Label::x).toList()))
        .allMatch(gap -> gap >= 20);
  }

  private static List<Integer> gaps(List<Integer> places) {
    return IntStream.range(1, places.size())
        .mapToObj(index -> places.get(index) - places.get(index - 1))
        .toList();
  }

  @Test
  void stagesGoDownAndTensorRanksAcross() {
    HeatMap map = grid(8, 4);

    assertThat(map.rows()).extracting(Label::text).startsWith("pp 0", "pp 1").hasSize(8);
    assertThat(map.columns()).extracting(Label::text).containsExactly("tp →", "0", "1", "2", "3");
    assertThat(map.cells().get(5).about()).isEqualTo("pp 1 · tp 1: 5");
  }

  @Test
  void aGridThatIsTooWideIsTurned() {
    assertThat(grid(8, 64).rows()).extracting(Label::text).contains("tp 0");
  }

  @Test
  void valuesThatHardlyDifferDoNotLookAsIfTheyDid() {
    SortedMap<Rank, Long> values = new TreeMap<>();
    IntStream.range(0, 8).forEach(tp -> values.put(new Rank(0, tp), 1000L + tp));

    HeatMap map = HeatMap.of("bytes", values, PageText::number);

    assertThat(map.cells()).extracting(Cell::color).containsOnly("q3");
    assertThat(map.legend()).isEqualTo(new HeatMap.Legend("", "1,000", List.of("q3"), "1,007"));
  }

  @Test
  void zeroHasAColorOfItsOwnAndTheLargestValueTheDarkest() {
    HeatMap map = grid(8, 4);

    assertThat(map.cells()).extracting(Cell::color).startsWith("q0", "q1").endsWith("q5");
    assertThat(map.legend())
        .isEqualTo(new HeatMap.Legend("0", "1", List.of("q1", "q2", "q3", "q4", "q5"), "31"));
  }

  @Test
  void valuesThatAreAllEqualHaveTheMiddleColor() {
    SortedMap<Rank, Long> values = new TreeMap<>();
    values.put(new Rank(0, 0), 7L);
    values.put(new Rank(0, 1), 7L);
    HeatMap map = HeatMap.of("values", values, PageText::number);

    assertThat(map.cells()).extracting(Cell::color).containsOnly("q3");
    assertThat(map.legend()).isEqualTo(new HeatMap.Legend("", "", List.of("q3"), "7"));
  }

  @Test
  void valuesStandInTheirCellsWhenAllOfThemFit() {
    assertThat(grid(8, 4).cells().get(31).text()).isEqualTo("31");
    assertThat(grid(100, 32).cells()).extracting(Cell::text).containsOnly("");
  }
}
