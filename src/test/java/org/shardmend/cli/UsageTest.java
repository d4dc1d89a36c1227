package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.TestJvm;

/** Command lines that are wrong: what is wrong, and what was perhaps meant. */
class UsageTest {
  private static final String SAMPLE = Samples.directory("mla-tp2-pp2").toString();

  @TempDir private Path scratch;

  private record Wrong(List<String> arguments, List<String> parts) {
    @Override
    public String toString() {
      return String.join(" ", arguments);
    }
  }

  private static Wrong wrong(List<String> arguments, String... parts) {
    return new Wrong(arguments, List.of(parts));
  }

  static Stream<Wrong> wrongUse() {
    return Stream.of(
        wrong(List.of("verify", "somewhere", "--expected-stat", "x"), "--expected-state"),
        wrong(List.of("repairs", "somewhere"), "repairs", "shardmend repair"),
        wrong(List.of("plan"), "CHECKPOINT"),
        wrong(List.of("repair", "somewhere"), "--output", "--in-place"),
        wrong(
            List.of("repair", "somewhere", "--output", "x", "--in-place"),
            "--output",
            "--in-place",
            "mutually exclusive"),
        wrong(List.of("repair", "s", "--output", "x", "--strategy", "magic"), "magic", "patch"),
        wrong(List.of("repair", "s", "--output", "x", "--digest", "md5"), "md5", "sha256"),
        wrong(
            List.of("repair", "s", "--output", "x", "--max-bytes-per-second", "0"),
            "--max-bytes-per-second",
            "'0'"),
        wrong(List.of("repair", "s", "--output", "x", "--verify", "deep"), "deep"),
        wrong(List.of("generate", "x", "--fault", "all"), "all", "alias-only"),
        wrong(List.of("generate", "x", "--bytes", "many"), "many"),
        wrong(List.of("generate", "x", "--tp", "0"), "tp", "0"),
        wrong(List.of("audit", "x", "--action", "RENAMED"), "RENAMED", "RENAME"),
        wrong(List.of("audit", "x", "--run", "7"), "7"),
        wrong(List.of("--conf", "nonsense", "plan", "x"), "--conf", "nonsense"),
        wrong(List.of("--conf", "spark.nonsense", "plan", "x"), "--conf", "spark.nonsense"),
        wrong(List.of("--master"), "--master", "URL"),
        wrong(List.of("--master", "everywhere", "plan", SAMPLE), "everywhere"),
        wrong(List.of("plan", SAMPLE, "--rules", "no-such-family"), "no-such-family", "mla-kv"),
        wrong(List.of("plan", SAMPLE, "--pattern", "model.bin"), "model.bin"),
        wrong(List.of("plan", "nonsense://somewhere/x"), "nonsense"),
        wrong(List.of("plan", "http://somewhere/x"), "http://somewhere", "no directories"),
        wrong(List.of("plan", "abfs://somewhere/x"), "AzureBlobFileSystem is missing", "module"),
        wrong(
            List.of("verify", SAMPLE, "--expected-state", "absent.json"),
            "absent.json",
            "does not exist"));
  }

  @ParameterizedTest
  @MethodSource("wrongUse")
  void wrongUseIsNamedWithWhatIsRight(Wrong wrong) {
    CommandRun run = CommandRun.of(wrong.arguments().toArray(String[]::new));

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err())
        .startsWith("shardmend: ")
        .contains(wrong.parts())
        .doesNotContain("\tat ")
        .doesNotContain("Exception");
  }

  @ParameterizedTest
  @MethodSource("wrongUse")
  void wrongUseIsOneDocumentToo(Wrong wrong) {
    List<String> arguments = new ArrayList<>(wrong.arguments());
    arguments.add("--json");

    CommandRun run = CommandRun.of(arguments.toArray(String[]::new));

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.document().path("outcome").asText()).isEqualTo("failed");
    assertThat(run.document().path("schema").asText()).matches("shardmend/[a-z]+/1");
    assertThat(run.document().path("error").path("message").asText()).isNotBlank();
  }

  /** Arabic has digits of its own, and so had the names of an audit's files. */
  @Test
  void theLocaleOfAProcessChangesNothing() throws Exception {
    String output = scratch.resolve("repaired").toString();
    Path said = scratch.resolve("said");

    Process process =
        TestJvm.of(
                Main.class,
                List.of("-Duser.language=ar", "-Duser.country=EG"),
                "repair",
                SAMPLE,
                "--output",
                output)
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();

    assertThat(process.waitFor()).as(Files.readString(said)).isZero();
    assertThat(said).content().doesNotContainPattern("[\\p{Nd}&&[^0-9]]");
  }

  /** In a process of its own: the form of the log is the process's. */
  @ParameterizedTest
  @ValueSource(strings = {"--log-format=json", "--log-format=JSON"})
  void wrongUseIsLinesOfJsonWhereTheLogIs(String format) throws Exception {
    Path err = scratch.resolve("err");

    Process process =
        TestJvm.of(Main.class, List.of(), "plan", SAMPLE, "--rule", "x", format)
            .redirectError(err.toFile())
            .start();

    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(Files.readAllLines(err))
        .satisfiesExactly(
            line -> assertThat(message("ERROR", line)).contains("'--rule'"),
            line -> assertThat(message("INFO", line)).contains("--rules"));
  }

  private static String message(String level, String line) throws IOException {
    JsonNode read = new ObjectMapper().readTree(line);
    assertThat(read.path("level").asText()).isEqualTo(level);
    return read.path("message").asText();
  }

  @Test
  void progressIsNoPartOfWhatACommandAnswers() {
    Path output = scratch.resolve("repaired");

    CommandRun run = CommandRun.of("repair", SAMPLE, "--output", output.toString(), "--json");

    assertThat(run.exit()).isZero();
    assertThat(run.document().path("outcome").asText()).isEqualTo("done");
    assertThat(run.err()).contains("Rewrite shards").doesNotContain("\"schema\"");
  }

  @Test
  void quietSaysNothingButErrors() {
    CommandRun run =
        CommandRun.of(
            "repair", SAMPLE, "--output", scratch.resolve("repaired").toString(), "--quiet");

    assertThat(run.exit()).isZero();
    assertThat(run.err()).isEmpty();
  }

  @Test
  void theExitCodesOfPlanAndVerifyTellWorkFromNone() {
    Path output = scratch.resolve("repaired");
    assertThat(CommandRun.of("plan", SAMPLE).exit()).isEqualTo(3);
    assertThat(CommandRun.of("verify", SAMPLE).exit()).isEqualTo(3);
    CommandRun.of("repair", SAMPLE, "--output", output.toString());

    CommandRun plan = CommandRun.of("plan", output.toString(), "--json");
    assertThat(plan.exit()).isZero();
    assertThat(plan.document().path("outcome").asText()).isEqualTo("nothing-to-do");
    assertThat(CommandRun.of("verify", output.toString()).exit()).isZero();
  }

  @Test
  void inPlaceAndBackByTheCommandLineAlone() {
    Path checkpoint = DirectoryContent.copy(Path.of(SAMPLE), scratch.resolve("checkpoint"));
    List<String> before = DirectoryContent.of(checkpoint).values().stream().toList();

    assertThat(CommandRun.of("repair", checkpoint.toString(), "--in-place").exit()).isZero();
    assertThat(CommandRun.of("plan", checkpoint.toString()).exit()).isZero();
    CommandRun rollback = CommandRun.of("rollback", checkpoint.toString(), "--json");

    assertThat(rollback.exit()).isZero();
    assertThat(rollback.document().path("journal").asText()).isEqualTo("rolled-back");
    assertThat(CommandRun.of("plan", checkpoint.toString()).exit()).isEqualTo(3);
    assertThat(DirectoryContent.of(checkpoint).values()).containsAll(before);
    assertThat(Files.exists(checkpoint.resolve("shardmend.json"))).isFalse();
  }
}
