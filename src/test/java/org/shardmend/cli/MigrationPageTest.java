package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.BuildFiles;

/**
 * The walk-through of the migration is what its commands print. Those that move headers only are
 * run at the page's size and must print its numbers; those that write all bytes at a ten-thousandth
 * of it, whatever the numbers.
 */
class MigrationPageTest {
  private static final Path PAGE =
      BuildFiles.projectFolder().resolve("src/site/markdown/migrate-kimi-k3.md");
  private static final Pattern CONSOLE =
      Pattern.compile("^```console\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final String PROMPT = "$ ";
  private static final String EXIT_CODE = "echo $?";

  /** A run's id, its times and how long it took. */
  private static final Pattern OF_THE_RUN =
      Pattern.compile(
          "r\\d{8}T\\d{6}Z-[0-9a-f]{8}|\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[.\\d]*|\\d[\\d.]* s\\b");

  /** Those, and what depends on the size and on the file system. */
  private static final Pattern OF_THE_SIZE =
      Pattern.compile(
          OF_THE_RUN
              + "|[0-9a-f]{64}|part-\\d+|\\d[\\d,.]* [kMGT]?B\\b|\\[[\\d, ]+\\]|\\d[\\d,]* shards"
              + "|(PATCH|CLONE|COPY|NONE) \\d+");

  @TempDir private Path scratch;

  private record PageText(String command, List<String> output) {}

  @Test
  void atThePagesSizeTheCommandsPrintItsNumbers() throws IOException {
    List<PageText> steps = steps();
    steps.removeIf(MigrationPageTest::movesAllBytes);

    assertThat(steps).hasSizeGreaterThan(15);
    check(steps, OF_THE_RUN, Map.of());
  }

  @Test
  void atASmallSizeAnOutputIsAsThePageShowsIt() throws IOException {
    List<PageText> steps = steps();
    steps.removeIf(step -> !movesAllBytes(step) && !step.command().contains(" generate "));

    assertThat(steps).hasSizeGreaterThan(4);
    check(steps, OF_THE_SIZE, Map.of("1500GB", "150MB", "5GiB", "512KiB"));
  }

  /** Unless the file system clones. */
  private static boolean movesAllBytes(PageText step) {
    return step.command().contains("/kimi-k3-repaired");
  }

  private void check(List<PageText> steps, Pattern varying, Map<String, String> sizes)
      throws IOException {
    int exit = 0;
    for (PageText step : steps) {
      if (step.command().equals(EXIT_CODE)) {
        assertThat(step.output()).containsExactly(String.valueOf(exit));
      } else {
        String[] stages = step.command().split(" \\| ", -1);
        CommandRun run = CommandRun.of(words(stages[0], sizes));
        exit = run.exit();
        List<String> printed = run.out().lines().toList();
        for (String filter : Arrays.asList(stages).subList(1, stages.length)) {
          printed = filtered(printed, filter);
        }
        assertThat(unvarying(printed, varying))
            .as("%s%n%s", step.command(), run.err())
            .isEqualTo(unvarying(step.output(), varying));
      }
    }
  }

  private static List<PageText> steps() throws IOException {
    List<PageText> steps = new ArrayList<>();
    Matcher block = CONSOLE.matcher(Files.readString(PAGE));
    while (block.find()) {
      String text = block.group(1).replaceAll("\\\\\\n\\s*", "");
      for (String line : text.lines().toList()) {
        if (line.startsWith(PROMPT)) {
          steps.add(new PageText(line.substring(PROMPT.length()), new ArrayList<>()));
        } else {
          steps.get(steps.size() - 1).output().add(line);
        }
      }
    }
    return steps;
  }

  private String[] words(String command, Map<String, String> sizes) throws IOException {
    Files.createDirectories(scratch.resolve("lustre/ckpt"));
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" +", -1)));
    assertThat(words.remove(0)).isEqualTo("scripts/shardmend");
    words.replaceAll(word -> word.startsWith("/lustre") ? scratch + word : word);
    words.replaceAll(word -> sizes.getOrDefault(word, word));
    return words.toArray(String[]::new);
  }

  private static List<String> filtered(List<String> lines, String filter) {
    String[] words = filter.split(" ", -1);
    return switch (words[0]) {
      case "grep" -> lines.stream().filter(line -> line.contains(words[1])).toList();
      case "head" -> lines.stream().limit(-Long.parseLong(words[1])).toList();
      default -> throw new IllegalArgumentException("This test knows no " + filter);
    };
  }

  private List<String> unvarying(List<String> lines, Pattern varying) {
    return lines.stream()
        .map(line -> line.replace(scratch.toString(), ""))
        .map(line -> varying.matcher(line).replaceAll("#").replaceAll(" +", " "))
        .toList();
  }
}
