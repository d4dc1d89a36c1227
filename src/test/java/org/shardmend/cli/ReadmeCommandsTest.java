package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.testing.BuildFiles;
import org.shardmend.testing.DirectoryContent;

/**
 * The commands in README.md, run in its order on generated checkpoints. Directories of this machine
 * stand in for the places that it names, and this process for its clusters.
 */
class ReadmeCommandsTest {
  private static final Pattern IN_BLOCK =
      Pattern.compile(
          "^ {4}(?<command>(?:scripts/shardmend|mvn) .*?)(?: +#.*)?$", Pattern.MULTILINE);
  private static final Pattern IN_PROSE =
      Pattern.compile("`(?<command>scripts/shardmend [^`\\s]+\\s[^`]+)`");

  /** How each ends. */
  private static final Map<String, Integer> EXITS =
      Map.ofEntries(
          Map.entry("plan CHECKPOINT", 3),
          Map.entry("repair CHECKPOINT --in-place", 0),
          Map.entry("rollback CHECKPOINT", 0),
          Map.entry("repair CHECKPOINT --output REPAIRED", 0),
          Map.entry("verify REPAIRED --against CHECKPOINT --full", 0),
          Map.entry("verify REPAIRED --expected-state expected.json", 0),
          Map.entry("verify REPAIRED --like HEALTHY", 0),
          Map.entry("audit REPAIRED --action RENAME,DROP", 0),
          Map.entry("sweep /lustre/ckpt --in-place --audit /lustre/audits --modified-since 24h", 0),
          Map.entry("report /lustre/audits --run ID --output report.html", 0),
          Map.entry(
              "--master spark://head:7077 --conf spark.executor.memory=2g repair CHECKPOINT --output REPAIRED",
              0),
          Map.entry("$S3A plan s3a://bucket/ckpt/kimi-k3", 3),
          Map.entry(
              "$S3A repair s3a://bucket/ckpt/kimi-k3 --output s3a://bucket/ckpt/kimi-k3-repaired",
              0));

  /** And why. */
  private static final Map<String, String> NOT_RUN =
      Map.of(
          "demo", "RepairIT runs it, through the launcher",
          "run jobs/nightly-sweep.json", "JobFileIT does, with the environment that it asks for",
          "mvn verify", "it is what runs this test");

  @TempDir private Path scratch;

  @BeforeEach
  void makeWhatTheCommandsFind() throws IOException {
    Path checkpoint = place("CHECKPOINT");
    generate(checkpoint, "alias-only", "--expected", place("expected.json").toString());
    generate(place("HEALTHY"), "clean");
    DirectoryContent.copy(checkpoint, place("/lustre/ckpt/team/kimi-k3"));
    DirectoryContent.copy(checkpoint, place("s3a://bucket/ckpt/kimi-k3"));
    // What was written to a moment ago is left alone by a sweep.
    FileTime settled = FileTime.from(Instant.now().minus(Duration.ofHours(1)));
    try (Stream<Path> files = Files.list(place("/lustre/ckpt/team/kimi-k3"))) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, settled);
      }
    }
  }

  @Test
  void everyCommandInTheReadmeEndsAsItSays() throws IOException {
    List<String> commands = commands();
    assertThat(new TreeSet<>(commands))
        .as("commands that this test knows")
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(EXITS.keySet().stream(), NOT_RUN.keySet().stream()).toList());

    for (String command : commands) {
      if (EXITS.containsKey(command)) {
        CommandRun run = CommandRun.of(words(command));
        assertThat(run.exit()).as("%s%n%s", command, run.err()).isEqualTo(EXITS.get(command));
        assertThat(run.err()).doesNotContain("\tat ");
      }
    }
    assertThat(place("report.html")).content().contains("<html", "kimi-k3");
  }

  private static List<String> commands() throws IOException {
    String readme = Files.readString(BuildFiles.projectFolder().resolve("README.md"));
    return Stream.of(IN_BLOCK, IN_PROSE)
        .flatMap(pattern -> pattern.matcher(readme).results())
        .map(
            match -> match.group(1).replaceFirst("^scripts/shardmend ", "").replaceAll("\\s+", " "))
        .toList();
  }

  private String[] words(String command) throws IOException {
    List<String> words = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
    words.remove("$S3A");
    int output = words.indexOf("--output") + 1;
    if (output > 0) {
      makeFree(place(words.get(output)));
    }
    words.replaceAll(this::standIn);
    return words.toArray(String[]::new);
  }

  private String standIn(String word) {
    return switch (word) {
      case "spark://head:7077" -> "local[2]";
      case "ID" -> sweptRun();
      case "CHECKPOINT", "REPAIRED", "HEALTHY", "expected.json", "report.html" ->
          place(word).toString();
      default -> word.matches("(/lustre/|s3a:).*") ? place(word).toString() : word;
    };
  }

  private Path place(String named) {
    return scratch.resolve(named.replaceFirst("^(s3a://|/)", ""));
  }

  private String sweptRun() {
    CommandRun audit = CommandRun.of("audit", place("/lustre/audits").toString(), "--json");
    return audit.document().at("/runs/0/run_id").asText();
  }

  private static void makeFree(Path output) throws IOException {
    if (Files.exists(output)) {
      try (Stream<Path> files = Files.walk(output)) {
        for (Path file : files.sorted((left, right) -> right.compareTo(left)).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private static void generate(Path target, String fault, String... more) {
    List<String> words = new ArrayList<>(List.of("generate", target.toString(), "--fault", fault));
    words.addAll(List.of("--tp", "2", "--pp", "2", "--layers", "8", "--bytes", "1MB"));
    words.addAll(List.of(more));
    CommandRun run = CommandRun.of(words.toArray(String[]::new));
    assertThat(run.exit()).as(run.err()).isZero();
  }
}
