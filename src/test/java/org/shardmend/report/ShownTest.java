package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.shardmend.report.ReportData.Rank;

class ShownTest {
  @Test
  void spellsOutWhatABrowserWouldHideOrTurnAround() {
    assertThat(Shown.text("a\u202eb\u0000c\u200bd\ud800"))
        .isEqualTo("a\\u202eb\\u0000c\\u200bd\\ud800");
  }

  @Test
  void leavesWhatIsVisibleAlone() {
    assertThat(Shown.text("größe.权重.weight 😀 <&>")).isEqualTo("größe.权重.weight 😀 <&>");
  }

  @Test
  void namesAGridOfRanksInFewWords() {
    List<Rank> grid =
        IntStream.range(0, 32).mapToObj(index -> new Rank(index / 4, index % 4)).toList();

    assertThat(Shown.ranks(grid)).isEqualTo("pp 0–7 · tp 0–3");
  }

  @Test
  void namesRanksThatMakeNoGrid() {
    assertThat(Shown.ranks(List.of(new Rank(0, 0), new Rank(0, 2), new Rank(3, 1))))
        .isEqualTo("pp 0 · tp 0, 2; pp 3 · tp 1");
    assertThat(Shown.ranks(List.of(new Rank(-1, 0), new Rank(-1, 1)))).isEqualTo("tp 0–1");
    assertThat(Shown.ranks(List.of(new Rank(-1, -1)))).isEqualTo("all ranks");
  }

  @Test
  void showsTimesInTheUnitThatFits() {
    assertThat(Shown.seconds(0.071)).isEqualTo("0.07 s");
    assertThat(Shown.seconds(84.25)).isEqualTo("84.3 s");
    assertThat(Shown.seconds(1152)).isEqualTo("19 min 12 s");
    assertThat(Shown.seconds(9000)).isEqualTo("2 h 30 min");
  }

  @Test
  void countsInTheSingularAndThePlural() {
    assertThat(Shown.count(1, "shard")).isEqualTo("1 shard");
    assertThat(Shown.count(12_288, "tensor")).isEqualTo("12,288 tensors");
  }
}
