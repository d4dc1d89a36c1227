package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardmend.checkpoint.Samples;
import org.shardmend.checkpoint.ShellWord;
import org.shardmend.testing.DirectoryContent;

/** What to type next can be copied into a shell and means what was just shown. */
class NextCommandTest {
  @TempDir private Path scratch;

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "/data/kimi-k3, /data/kimi-k3",
        "hdfs://nn:8020/größe_1, hdfs://nn:8020/größe_1",
        "a b, 'a b'",
        "it's $HOME, 'it'\\''s $HOME'",
        "[1]*, '[1]*'",
        "~me, '~me'"
      })
  void aWordIsQuotedWhereAShellWouldTakeItForMore(String word, String quoted) {
    assertThat(ShellWord.of(word)).isEqualTo(quoted);
  }

  @Test
  void theNextCommandNamesThePlaceAndTheSameRules() throws IOException {
    Path home = Files.createDirectory(scratch.resolve("a b"));
    Path broken = DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), home.resolve("broken"));
    String place = "'" + broken + "'";
    String rules = " --no-default-rules --rules mla-kv-b-proj";

    CommandRun plan =
        CommandRun.of("plan", broken.toString(), "--no-default-rules", "--rules", "mla-kv-b-proj");

    assertThat(plan.out())
        .contains("Next: shardmend repair " + place + rules + " --in-place ")
        .contains("  or: shardmend repair " + place + rules + " --output DIR ");

    CommandRun repair =
        CommandRun.of(
            "repair",
            broken.toString(),
            "--in-place",
            "--no-default-rules",
            "--rules",
            "mla-kv-b-proj");

    assertThat(repair.out())
        .contains("Next: shardmend verify 'file:" + broken + "'" + rules + " --expected-state FILE")
        .contains("Undo: shardmend rollback 'file:" + broken + "'");
  }

  @Test
  void whatEndsAStoppedRepairCanBeCopiedToo() throws IOException {
    Path root = scratch.resolve("a b");
    DirectoryContent.copy(Samples.directory("presharded-tp2-pp2-xxh3"), root);
    assertThat(CommandRun.of("repair", root.toString(), "--in-place").exit()).isZero();
    String dump = root.resolve("TP-2-sig-49c4b287720e2996").toString();

    CommandRun run = CommandRun.of("rollback", dump, "--json");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.document().at("/error/code").asText()).isEqualTo("journal-elsewhere");
    assertThat(run.document().at("/error/message").asText())
        .endsWith("To undo that: shardmend rollback 'file:" + root + "'");
  }
}
