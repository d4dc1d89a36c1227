package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.shardmend.report.ReportData.Rank;

class PageTextTest {
  @Test
  void spellsOutWhatABrowserWouldHideOrTurnAround() {
    assertThat(PageText.text("a\u202eb\u0000c\u200bd\ud800"))
        .isEqualTo("a\\u202eb\\u0000c\\u200bd\\ud800");
  }

  @Test
  void leavesWhatIsVisibleAlone() {
    assertThat(PageText.text("größe.权重.weight 😀 <&>")).isEqualTo("größe.权重.weight 😀 <&>");
  }

  @Test
  void namesAGridOfRanksInFewWords() {
    List<Rank> grid =
        IntStream.range(0, 32).mapToObj(index -> new Rank(index / 4, index % 4)).toList();

    assertThat(PageText.ranks(grid)).isEqualTo("pp 0–7 · tp 0–3");
  }

  @Test
  void namesRanksThatMakeNoGrid() {
    assertThat(PageText.ranks(List.of(new Rank(0, 0), new Rank(0, 2), new Rank(3, 1))))
        .isEqualTo("pp 0 · tp 0, 2; pp 3 · tp 1");
    assertThat(PageText.ranks(List.of(new Rank(-1, 0), new Rank(-1, 1)))).isEqualTo("tp 0–1");
    assertThat(PageText.ranks(List.of(new Rank(-1, -1)))).isEqualTo("all ranks");
  }

  @Test
  void showsTimesInTheUnitThatFits() {
    assertThat(PageText.seconds(0.071)).isEqualTo("0.07 s");
    assertThat(PageText.seconds(84.25)).isEqualTo("84.3 s");
    assertThat(PageText.seconds(1152)).isEqualTo("19 min 12 s");
    assertThat(PageText.seconds(9000)).isEqualTo("2 h 30 min");
  }

  @Test
  void countsInTheSingularAndThePlural() {
    assertThat(PageText.count(1, "shard")).isEqualTo("1 shard");
    assertThat(PageText.count(12_288, "tensor")).isEqualTo("12,288 tensors");
  }
}
