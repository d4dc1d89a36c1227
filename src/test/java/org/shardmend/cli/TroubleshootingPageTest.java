package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.plan.contract.ContractCode;
import org.shardmend.testing.BuildFiles;

/**
 * The page on troubleshooting has every code that the sources can give, under its exit code, with
 * words that the sources hold. The codes of findings have a page and a test of their own.
 */
class TroubleshootingPageTest {
  private static final Path PAGE = Path.of("src", "site", "markdown", "troubleshooting.md");
  private static final Pattern SECTION =
      Pattern.compile("^## Exit (?<exit>\\d): .*?(?=^## |\\z)", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `(?<code>[a-z0-9-]+)` \\| (?<message>.*?) \\| (?<help>.*?) ?\\|$",
          Pattern.MULTILINE);
  private static final Pattern CODE_SPAN = Pattern.compile("`([^`]+)`");
  private static final String VARYING = "…";

  private static final Map<String, Integer> EXIT_OF = Map.of("usage", 2, "refused", 4, "failed", 5);
  private static final Pattern THROWN =
      Pattern.compile(
          "(?:JobException|CheckpointException)\\s*\\.\\s*(usage|failed|refused)\\(\\s*\"([a-z0-9-]+)\"");

  /** Where a code is given in another way. */
  private static final List<Pattern> GIVEN =
      List.of(
          Pattern.compile("new FailureDocument\\([^\";]*\"([a-z-]+)\""),
          Pattern.compile(
              "(?:Finding\\.fault|new (?:Finding|ShardTaskException))\\(\\s*\"([a-z-]+)\""),
          Pattern.compile("\\berror\\(\\s*\"([a-z-]+)\""),
          Pattern.compile("\\bCODE = \"([a-z-]+)\""));

  private static final Pattern STORAGE_CODE =
      Pattern.compile("(?:return|->|[?:]|refused\\()\\s*\"([a-z-]+)\"");

  private record Row(int exit, String code, String message) {}

  @Test
  void everyCodeThatTheSourcesGiveIsOnThePageAndNoOther() {
    Set<String> onPage = new TreeSet<>(rows().map(Row::code).toList());

    assertThat(onPage).containsExactlyElementsOf(given());
  }

  @Test
  void eachCodeStandsOnceUnderEachOfItsExitCodes() {
    assertThat(rows().map(row -> row.exit() + " " + row.code()))
        .doesNotHaveDuplicates()
        .containsAll(thrown());
  }

  /** What stands in code spans in the second column, up to what varies. */
  @Test
  void theMessagesAreThoseOfTheSources() {
    String literals = String.join("\n", sources().map(TroubleshootingPageTest::joined).toList());
    List<Row> rows = rows().toList();

    for (Row row : rows) {
      List<String> messages =
          CODE_SPAN.matcher(row.message()).results().map(span -> span.group(1)).toList();
      for (String message : messages) {
        assertThat(Arrays.asList(message.split(VARYING, -1)))
            .as("%s: %s", row.code(), message)
            .allSatisfy(part -> assertThat(literals.contains(part)).as(part).isTrue());
      }
    }
    assertThat(rows).filteredOn(row -> row.message().startsWith("`")).hasSizeGreaterThan(60);
  }

  private static Stream<Row> rows() {
    return SECTION.matcher(read(PAGE)).results().flatMap(TroubleshootingPageTest::rows);
  }

  private static Stream<Row> rows(MatchResult section) {
    int exit = Integer.parseInt(section.group(1));
    return ROW.matcher(section.group())
        .results()
        .map(row -> new Row(exit, row.group(1), row.group(2)));
  }

  private static Set<String> given() {
    Set<String> codes = new TreeSet<>();
    for (String source : sources().toList()) {
      THROWN.matcher(source).results().forEach(match -> codes.add(match.group(2)));
      for (Pattern given : GIVEN) {
        given.matcher(source).results().forEach(match -> codes.add(match.group(1)));
      }
      if (source.contains("final class StorageFailures ")) {
        STORAGE_CODE.matcher(source).results().forEach(match -> codes.add(match.group(1)));
      }
    }
    Stream.of(ContractCode.values()).map(ContractCode::id).forEach(codes::add);
    Stream.of(FindingCode.values()).map(FindingCode::code).forEach(codes::remove);
    return codes;
  }

  private static Set<String> thrown() {
    Set<String> thrown = new TreeSet<>();
    sources()
        .flatMap(source -> THROWN.matcher(source).results())
        .forEach(match -> thrown.add(EXIT_OF.get(match.group(1)) + " " + match.group(2)));
    return thrown;
  }

  /** A source, with string literals that are added up made one. */
  private static String joined(String source) {
    return source.replaceAll("\"\\s*\\+\\s*\"", "");
  }

  private static Stream<String> sources() {
    try (Stream<Path> files =
        Files.walk(BuildFiles.projectFolder().resolve("src/main/java/org/shardmend"))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(TroubleshootingPageTest::read)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
