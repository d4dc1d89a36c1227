package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.testing.BuildFiles;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What people are told: help with examples, near names, and pages whose commands exist. */
class HelpTest {
  /** A word, or what stands between single quotes. */
  private static final Pattern WORD = Pattern.compile("'(?<quoted>[^']*)'|(?<plain>[^\\s']+)");

  /** A command within a sentence, which may go on in the next line. */
  private static final Pattern IN_PROSE = Pattern.compile("`(scripts/shardmend [^`\\s]+\\s[^`]+)`");

  /** What a command needs to get as far as an option that it does not know; else one argument. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "sweep", List.of("x", "--in-place", "--audit", "a"),
          "repair", List.of("x", "--in-place"),
          "report", List.of("x", "--output", "o"),
          "completion", List.of("bash"),
          "rules", List.of());

  static Collection<String> commands() {
    return Main.commandLine().getSubcommands().keySet();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void helpShowsExamplesThatTheCommandTakes(String command) {
    CommandRun run = CommandRun.of(command, "--help");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).contains("Usage: shardmend " + command, "Example");
    String[] footer = spec(command).usageMessage().footer();
    List<String> examples =
        joined(String.join("\n", footer)).filter(line -> line.contains(" shardmend ")).toList();
    assertThat(examples).as("examples of " + command).isNotEmpty();
    assertThat(examples).allSatisfy(HelpTest::parses);
  }

  /** Every option, with a letter missing in its middle, by its own command. */
  @ParameterizedTest
  @MethodSource("commands")
  void aMistypedOptionIsAnsweredWithTheNearName(String command) {
    for (OptionSpec option : spec(command).options()) {
      String name = option.longestName();
      String mistyped =
          name.substring(0, name.length() / 2) + name.substring(name.length() / 2 + 1);
      if (name.length() > 7) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(REQUIRED.getOrDefault(command, List.of("x")));
        words.add(mistyped);

        CommandRun run = CommandRun.of(words.toArray(String[]::new));

        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).as(mistyped).contains(name);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aMistypedCommandIsAnsweredWithTheNearName(String command) {
    String mistyped =
        command.substring(0, command.length() - 1) + "q" + command.charAt(command.length() - 1);

    CommandRun run = CommandRun.of(mistyped);

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("shardmend " + command);
  }

  @Test
  void everyCommandLineInTheReadmeAndThePagesIsOneThatExists() throws IOException {
    int found = 0;
    for (Path page : pages()) {
      String text = Files.readString(page);
      List<String> shown =
          Stream.concat(joined(text), IN_PROSE.matcher(text).results().map(m -> m.group(1)))
              .map(line -> line.strip().replaceFirst("^\\$ ", "").replaceAll("\\n *", " "))
              .filter(line -> line.startsWith("scripts/shardmend "))
              .filter(line -> !line.contains(" ..."))
              .toList();
      assertThat(shown).as(page.toString()).allSatisfy(HelpTest::parses);
      found += shown.size();
    }
    assertThat(found).isGreaterThan(50);
  }

  private static CommandSpec spec(String command) {
    return Main.commandLine().getSubcommands().get(command).getCommandSpec();
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>();
    pages.add(BuildFiles.projectFolder().resolve("README.md"));
    try (Stream<Path> files = Files.list(BuildFiles.projectFolder().resolve("src/site/markdown"))) {
      files.forEach(pages::add);
    }
    return pages;
  }

  /** The lines of a text, with those that end in a backslash joined to the next. */
  private static Stream<String> joined(String text) {
    return text.replaceAll("\\\\\\n\\s*", "").lines();
  }

  /** A variable of the shell, which holds options that stand elsewhere, is passed over. */
  private static void parses(String line) {
    for (String one : line.replaceAll("\\s#.*|\\s+[>|].*|\\)$|   \\(.*", "").split(" && ", -1)) {
      List<String> words = new ArrayList<>();
      Matcher word = WORD.matcher(one.replaceAll("\\$\\w+ ", ""));
      while (word.find()) {
        words.add(word.group("quoted") == null ? word.group("plain") : word.group("quoted"));
      }
      int program = 0;
      while (!words.get(program).endsWith("shardmend")) {
        program++;
      }
      List<String> arguments = words.subList(program + 1, words.size());
      Main.commandLine().parseArgs(arguments.toArray(String[]::new));
    }
  }
}
