package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.testing.DirectoryContent;

/**
 * Checkpoints of public reports, with what the commands must say of each.
 *
 * <p>A case is a directory of the test resources below {@code cases/}: its inputs ({@code ck}, and
 * what goes with it), and {@code verdict.txt}, which is a script of lines:
 *
 * <pre>
 * # a remark
 * $ verify ck --like like          runs a command in a copy of the case's directory
 * exit 3                           its exit code; each command must have one
 * says unit-missing                what its standard output or standard error contains
 * never No fault found             what neither contains
 * copy ck/config.json keep.json    a file for the next command, over one that is there
 * file out/config.json holds "a"   a text that a file then contains
 * file out/config.json lacks "b"   one that it does not
 * </pre>
 *
 * <p>Words of a command that name what is in the directory, and {@code out}, become paths; in what
 * is printed, the same paths are shown as those words again.
 */
class CasesTest {
  private static final Path CASES = Path.of("src", "test", "resources", "cases");
  private static final String VERDICT = "verdict.txt";

  /** What a case's repair may write; everything else is there before. */
  private static final String OUTPUT = "out";

  @TempDir private Path scratch;

  @ParameterizedTest
  @MethodSource("cases")
  void theVerdictIsTheRightOne(String name) throws IOException {
    List<String> script = Files.readAllLines(CASES.resolve(name).resolve(VERDICT));
    new Run(DirectoryContent.copy(CASES.resolve(name), scratch)).follow(script);
  }

  /** Cases without a verdict are inputs that nothing is said of yet. */
  static List<String> cases() throws IOException {
    try (Stream<Path> directories = Files.list(CASES)) {
      return directories
          .filter(directory -> Files.exists(directory.resolve(VERDICT)))
          .map(directory -> directory.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  /** The script of one case, as it goes on. */
  private static final class Run {
    private final Path directory;
    private String command = "";
    private CommandRun last = new CommandRun(0, "", "");
    private boolean exitWasNamed = true;

    private Run(Path directory) {
      this.directory = directory;
    }

    void follow(List<String> script) throws IOException {
      for (String line : script) {
        if (!line.isBlank() && !line.startsWith("#")) {
          String[] words = line.strip().split(" ", 2);
          step(words[0], words[1].strip());
        }
      }
      requireExit();
    }

    private void step(String verb, String rest) throws IOException {
      switch (verb) {
        case "$" -> start(rest);
        case "exit" -> {
          exitWasNamed = true;
          assertThat(last.exit())
              .as("exit code of '%s', which says: %s", command, printed())
              .isEqualTo(Integer.parseInt(rest));
        }
        case "says" -> assertThat(printed()).as(command).contains(rest);
        case "never" -> assertThat(printed()).as(command).doesNotContain(rest);
        case "copy" -> copy(rest.split(" "));
        case "file" -> file(rest.split(" ", 3));
        default -> throw new IllegalArgumentException("A case's script has no line " + verb);
      }
    }

    private void start(String words) {
      requireExit();
      command = words;
      exitWasNamed = false;
      last = CommandRun.of(Arrays.stream(words.split(" ")).map(this::word).toArray(String[]::new));
    }

    private void requireExit() {
      assertThat(exitWasNamed).as("'%s' has an exit code", command).isTrue();
    }

    private String word(String word) {
      return word.equals(OUTPUT) || Files.exists(directory.resolve(word))
          ? directory.resolve(word).toString()
          : word;
    }

    private String printed() {
      return (last.out() + last.err()).replace(directory + "/", "");
    }

    private void copy(String[] fromAndTo) throws IOException {
      Files.copy(
          directory.resolve(fromAndTo[0]),
          directory.resolve(fromAndTo[1]),
          StandardCopyOption.REPLACE_EXISTING);
    }

    private void file(String[] nameVerbAndText) throws IOException {
      AbstractStringAssert<?> content =
          assertThat(Files.readString(directory.resolve(nameVerbAndText[0]))).as(command);
      switch (nameVerbAndText[1]) {
        case "holds" -> content.contains(nameVerbAndText[2]);
        case "lacks" -> content.doesNotContain(nameVerbAndText[2]);
        default -> throw new IllegalArgumentException("A file has no " + nameVerbAndText[1]);
      }
    }
  }
}
