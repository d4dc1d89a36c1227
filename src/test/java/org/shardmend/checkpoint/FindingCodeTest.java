package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class FindingCodeTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `(?<code>[a-z-]+)` \\| (?<severity>[a-z]+) \\|", Pattern.MULTILINE);

  @Test
  void thePageOfFindingsNamesEachCodeWithItsSeverityOnce() throws IOException {
    String page = Files.readString(Path.of("src", "site", "markdown", "findings.md"));

    List<String> onPage =
        ROW.matcher(page).results().map(FindingCodeTest::codeAndSeverity).sorted().toList();

    assertThat(onPage)
        .containsExactlyElementsOf(
            Arrays.stream(FindingCode.values())
                .map(code -> code.code() + " " + code.severity().name().toLowerCase(Locale.ROOT))
                .sorted()
                .toList());
  }

  @Test
  void aFindingIsOnOneLineWhateverTheNamesHold() {
    Finding finding = FindingCode.STRAY_SHARD.finding("a\nb", "a\nb \u001b[31m c\\d");

    assertThat(finding.message()).isEqualTo("a\\u000ab \\u001b[31m c\\d");
    assertThat(finding.shard()).isEqualTo("a\nb");
    assertThat(finding.code()).isEqualTo("stray-shard");
  }

  private static String codeAndSeverity(MatchResult row) {
    return row.group(1) + " " + row.group(2);
  }
}
