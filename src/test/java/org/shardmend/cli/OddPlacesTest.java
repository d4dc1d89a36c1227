package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.DirectoryContent;

/**
 * A directory's or a file's name is any string: nothing in it is decoded, globbed or cut. Only an
 * output's path may not hold what engines would take for a pattern.
 */
class OddPlacesTest {
  @TempDir private Path scratch;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b %20 100% #1?x=y&z; [ab]* {c,d} \\e",
        "-line\nbreak 'single' \"double\" größe-模型-\ud83d\ude00",
        "file:x:y@z"
      })
  void everyCommandTakesThePlaceAsItIs(String name) throws IOException {
    Path home = Files.createDirectory(scratch.resolve(name));
    Path source = DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), home.resolve(name));
    Files.writeString(source.resolve(name + ".txt"), "a side file");
    Path output = scratch.resolve("repaired " + name.replaceAll("[\\[\\]*?]", ""));
    SortedMap<String, String> before = DirectoryContent.of(source);

    require(0, CommandRun.of("repair", text(source), "--output", text(output), "--json"));

    assertThat(DirectoryContent.of(source)).isEqualTo(before);
    assertThat(output.resolve(name + ".txt")).hasContent("a side file");
    assertThat(home.toFile().list()).containsExactly(name);
    assertThat(scratch.toFile().list())
        .containsExactlyInAnyOrder(name, output.getFileName().toString());
    require(3, CommandRun.of("plan", text(source), "--json"));
    CommandRun verify = CommandRun.of("verify", text(output), "--full", "--json");
    require(0, verify);
    assertThat(verify.document().path("checkpoint").asText()).isEqualTo("file:" + output);
    CommandRun audit = CommandRun.of("audit", text(output), "--json");
    require(0, audit);
    assertThat(audit.out()).contains("RENAME");
    require(0, CommandRun.of("inspect", text(output), "--json"));
    require(0, CommandRun.of("repair", text(source), "--in-place", "--json"));
    boolean isFoundByEngines = !name.contains("[");
    CommandRun inPlace = CommandRun.of("verify", text(source), "--json");
    require(isFoundByEngines ? 0 : 3, inPlace);
    assertThat(inPlace.document().path("faults").findValuesAsText("code"))
        .isEqualTo(isFoundByEngines ? List.of() : List.of("wildcard-in-path"));
    require(0, CommandRun.of("rollback", text(source), "--json"));
    SortedMap<String, String> after = DirectoryContent.of(source);
    after.keySet().removeIf(file -> file.startsWith(".shardmend"));
    assertThat(after).isEqualTo(before);
  }

  private static String text(Path path) {
    return path.toString();
  }

  private static void require(int exit, CommandRun run) {
    assertThat(run.exit()).as(run.err()).isEqualTo(exit);
    assertThat(run.document().has("schema")).isTrue();
  }
}
