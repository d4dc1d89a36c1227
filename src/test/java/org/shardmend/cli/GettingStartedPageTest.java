package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.BuildFiles;

/** The commands that the page gives for a laptop end as their comments say. */
class GettingStartedPageTest {
  private static final Path PAGE =
      BuildFiles.projectFolder().resolve("src/site/markdown/getting-started.md");
  private static final Pattern LAPTOP =
      Pattern.compile("^## On a laptop$(.*?)^## ", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile("^ {4}scripts/shardmend (.*?)(?: +# (.*))?$", Pattern.MULTILINE);
  private static final Pattern EXIT = Pattern.compile("exit (\\d)");

  @TempDir private Path scratch;

  @Test
  void onALaptopEachCommandEndsAsItsCommentSays() throws IOException {
    List<MatchResult> commands =
        LAPTOP
            .matcher(Files.readString(PAGE))
            .results()
            .flatMap(section -> COMMAND.matcher(section.group(1)).results())
            // RepairIT runs that one, through the launcher.
            .filter(command -> !command.group(1).equals("demo"))
            .toList();
    assertThat(commands).hasSizeGreaterThan(6);

    for (MatchResult command : commands) {
      CommandRun run = CommandRun.of(words(command.group(1)));
      assertThat(run.exit()).as("%s%n%s", command.group(), run.err()).isEqualTo(exit(command));
    }
  }

  private String[] words(String command) {
    return Stream.of(command.split(" ", -1))
        .map(word -> word.startsWith("/tmp/") ? scratch + word : word)
        .toArray(String[]::new);
  }

  private static int exit(MatchResult command) {
    Matcher exit = EXIT.matcher(Optional.ofNullable(command.group(2)).orElse(""));
    return exit.find() ? Integer.parseInt(exit.group(1)) : 0;
  }
}
