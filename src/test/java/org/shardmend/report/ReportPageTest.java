package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReportPageTest {
  @Test
  void saysWhatWasWrongWhatWasDoneAndHowThatIsProven() {
    assertThat(ReportPage.render(SampleReport.repaired(8, 4, 1)))
        .contains("188 of 3,840 tensors had a name that the model does not ask for")
        .contains("124 tensors got the right name.")
        .contains("64 tensors were left out")
        .contains("All 3,776 tensors in the output came back with the digests")
        .contains("model.layers.0.self_attn.<del>attn_mha.</del>kv_b_proj.weight");
  }

  @Test
  void aRefusedRunSaysWhyAndThatNothingWasChanged() {
    assertThat(ReportPage.render(SampleReport.refused("Two names, different bytes.")))
        .contains("Two names, different bytes.")
        .contains("Nothing was changed")
        .contains("unfinished-save")
        .doesNotContain("The grid of ranks");
  }

  @Test
  void nothingIsLoadedFromAnywhere() {
    assertThat(ReportPage.render(SampleReport.repaired(8, 4, 1)))
        .doesNotContain("http:", "https:", " src=", " href=", "url(", "@import")
        .contains("default-src 'none'");
  }

  @Test
  void aNameIsNeverMarkup() {
    String page =
        ReportPage.render(
            SampleReport.hostile(
                "</style></script></title><script>alert(1)</script><img src=x"
                    + " onerror=\"alert(1)\">'\"&\u202e"));

    assertThat(occurrences(page, "<script>")).isEqualTo(1);
    assertThat(occurrences(page, "</script>")).isEqualTo(1);
    assertThat(occurrences(page, "</style>")).isEqualTo(1);
    assertThat(occurrences(page, "</title>")).isEqualTo(occurrences(page, "<title>"));
    assertThat(page).doesNotContain("<img").doesNotContain("\u202e").contains("\\u202e");
  }

  private static long occurrences(String page, String text) {
    return Pattern.compile(Pattern.quote(text)).matcher(page).results().count();
  }

  @ParameterizedTest
  @CsvSource({"8,4,1", "8,4,10", "100,32,1", "1,1,3200"})
  void aPageStaysSmall(int pp, int tp, int parts) {
    assertThat(ReportPage.render(SampleReport.repaired(pp, tp, parts)).length())
        .isLessThan(2_000_000);
  }

  @Test
  void bytesThatCameBackOtherwiseRaiseAnAlarm() {
    ReportData good = SampleReport.repaired(1, 2, 1);
    ReportData bad =
        new ReportData(
            good.run(),
            good.shards(),
            good.changes(),
            good.changedNames(),
            List.of(new ReportData.Proof("KEEP", "full", 10, 100, 9, 1)),
            good.findings());

    assertThat(ReportPage.render(bad))
        .contains("1 tensor came back with other bytes than the source has. Do not use the output.")
        .contains("card alarm");
  }
}
