package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.job.spark.JobException;
import org.shardmend.testing.BuildFiles;

/** Job files: what command line they stand for, and what is said of those that are wrong. */
class JobFileTest {
  private static final JobVariables VARIABLES =
      new JobVariables(
          Map.of("ROOT", "/lustre/ckpt", "AUDIT", "/audits", "TRICK", "${ROOT}", "EMPTY", ""),
          LocalDate.of(2026, 11, 30));

  @TempDir private Path scratch;

  @Test
  void aJobFileStandsForACommandLine() throws JobException {
    String job =
        """
        {"command": "sweep", "arguments": ["${ROOT}", "/x y"],
         "options": {"in-place": true, "audit": "${AUDIT}/${date}", "depth": 3,
                     "exclude": ["**/a", "$${ROOT}"]}}
        """;

    assertThat(words(job))
        .containsExactly(
            "sweep",
            "--in-place",
            "--audit=/audits/2026-11-30",
            "--depth=3",
            "--exclude=**/a",
            "--exclude=${ROOT}",
            "--",
            "/lustre/ckpt",
            "/x y");
  }

  @Test
  void whatIsFilledInIsNotFilledInAgain() throws JobException {
    assertThat(words("{\"command\": \"plan\", \"arguments\": [\"${TRICK}$x$\"]}"))
        .containsExactly("plan", "--", "${ROOT}$x$");
  }

  @Test
  void aSwitchThatIsFalseIsLeftOut() throws JobException {
    assertThat(
            words(
                "{\"command\": \"verify\", \"arguments\": [\"c\"], \"options\": {\"full\":"
                    + " false}}"))
        .containsExactly("verify", "--", "c");
  }

  @Test
  void anOptionOfRunCountsOverTheFiles() throws JobException {
    String job =
        "{\"command\": \"plan\", \"arguments\": [\"c\"], \"options\": {\"result\": \"a\", \"json\":"
            + " true}}";

    assertThat(new JobFile("j", job, VARIABLES).words(List.of("--result=b", "--json")))
        .containsExactly("plan", "--result=b", "--json", "--", "c");
  }

  @Test
  void aListOfRulesDoesNotSwallowTheArguments() throws JobException {
    assertThat(
            words(
                "{\"command\": \"plan\", \"arguments\": [\"c\"], \"options\": {\"rules\": [\"a\","
                    + " \"b\"]}}"))
        .containsExactly("plan", "--rules=a", "--rules=b", "--", "c");
  }

  private record Wrong(String job, List<String> parts) {
    @Override
    public String toString() {
      return job;
    }
  }

  private static Wrong wrong(String job, String... parts) {
    return new Wrong(job, List.of(parts));
  }

  static Stream<Wrong> wrongFiles() {
    return Stream.of(
        wrong("{", "line 1", "ends in the middle"),
        wrong("[]", "line 1, column 1", "an object is expected"),
        wrong("{}", "line 1, column 1", "'command' is missing"),
        wrong("{\"command\": 7}", "/command", "a string is expected"),
        wrong(
            "{\"command\": \"sweeep\"}",
            "at /command",
            "no command 'sweeep'",
            "Did you mean 'sweep'?"),
        wrong("{\"command\": \"run\"}", "/command", "no command 'run'"),
        wrong(
            "{\"command\": \"plan\",\n \"argumets\": []}",
            "line 2, column 2, at /argumets",
            "Did you mean 'arguments'?"),
        wrong(
            "{\"command\": \"plan\", \"command\": \"plan\"}",
            "line 1",
            "Duplicate field 'command'"),
        wrong("{\"command\": \"plan\"} {}", "line 1", "not JSON"),
        wrong(
            "{\"command\": \"sweep\",\n\"options\": {\n  \"modifed-since\": \"24h\"}}",
            "line 3, column 3, at /options/modifed-since",
            "'sweep' has no option 'modifed-since'",
            "Did you mean 'modified-since'?"),
        wrong("{\"command\": \"plan\", \"options\": {\"help\": true}}", "/options/help"),
        wrong(
            "{\"command\": \"plan\", \"options\": {\"rewrite-config\": \"yes\"}}",
            "/options/rewrite-config",
            "true or false"),
        wrong(
            "{\"command\": \"plan\", \"options\": {\"pattern\": [\"a\"]}}",
            "/options/pattern",
            "not a list"),
        wrong(
            "{\"command\": \"plan\", \"options\": {\"pattern\": null}}",
            "/options/pattern",
            "a string or a number"),
        wrong(
            "{\"command\": \"plan\", \"options\": {\"rules\": [\"a\", true]}}", "/options/rules/1"),
        wrong("{\"command\": \"plan\", \"arguments\": [\"a\", 1]}", "/arguments/1", "a string"),
        wrong(
            "{\"command\": \"plan\", \"arguments\": [\"${NOT_SET}\"]}",
            "/arguments/0",
            "NOT_SET is not set"),
        wrong(
            "{\"command\": \"plan\", \"arguments\": [\"${EMPTY}\"]}", "EMPTY is not set, or empty"),
        wrong("{\"command\": \"plan\", \"arguments\": [\"${a b}\"]}", "'${a b}' is no variable"),
        wrong("{\"command\": \"plan\", \"arguments\": [\"${ROOT\"]}", "no closing brace"),
        wrong("{\"command\": \"plan\"}", "CHECKPOINT"),
        wrong(
            "{\"command\": \"sweep\", \"arguments\": [\"a\"],\n \"options\": {\"dry-run\": true}}",
            "line 2, column 2, at /options",
            "--audit"),
        wrong(
            "{\"command\": \"sweep\", \"arguments\": [\"a\"], \"options\": {\"dry-run\": true,"
                + " \"in-place\": true, \"audit\": \"x\"}}",
            "at /options",
            "mutually exclusive"),
        wrong(
            "{\"command\": \"sweep\", \"arguments\": [\"a\"],\n \"options\": {\"dry-run\": true, \"audit\": \"x\",\n  \"settle\": \"soon\"}}",
            "line 3, column 3, at /options/settle",
            "'soon' is no age"));
  }

  @ParameterizedTest
  @MethodSource("wrongFiles")
  void aWrongFileIsNamedWithThePlace(Wrong wrong) {
    assertThatThrownBy(() -> words(wrong.job()))
        .isInstanceOf(JobException.class)
        .hasMessageStartingWith("job.json")
        .hasMessageContainingAll(wrong.parts().toArray(CharSequence[]::new));
  }

  @Test
  void theFilesThatComeAlongAreRight() throws IOException, JobException {
    JobVariables variables =
        new JobVariables(
            Map.of(
                "SHARDMEND_CHECKPOINTS",
                "/c",
                "SHARDMEND_CHECKPOINT",
                "/k",
                "SHARDMEND_REPAIRED",
                "/r",
                "SHARDMEND_AUDIT",
                "/a"),
            LocalDate.EPOCH);
    Path jobs = BuildFiles.projectFolder().resolve("jobs");
    try (Stream<Path> files = Files.list(jobs)) {
      List<Path> found = files.filter(file -> file.toString().endsWith(".json")).toList();
      assertThat(found).hasSizeGreaterThanOrEqualTo(2);
      for (Path file : found) {
        assertThat(new JobFile(file.toString(), Files.readString(file), variables).words(List.of()))
            .hasSizeGreaterThan(3);
      }
    }
  }

  @Test
  void runAnswersAsTheCommandDoes() throws IOException {
    Path job = scratch.resolve("job.json");
    Files.writeString(
        job,
        "{\"command\": \"rules\", \"options\": {\"result\": \"%s/r.json\"}}".formatted(scratch));

    CommandRun run = CommandRun.of("run", job.toString(), "--json");

    assertThat(run.exit()).isZero();
    assertThat(run.document().path("schema").asText()).isEqualTo("shardmend/rules/1");
    assertThat(scratch.resolve("r.json")).content().contains("\"exit_code\" : 0");
  }

  @Test
  void aWrongFileIsWrongUse() throws IOException {
    Path job = scratch.resolve("job.json");
    Files.writeString(job, "{\"command\": \"rule\"}");

    CommandRun run = CommandRun.of("run", job.toString(), "--json");

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.document().path("schema").asText()).isEqualTo("shardmend/run/1");
    assertThat(run.document().path("error").path("code").asText()).isEqualTo("bad-job-file");
    assertThat(run.err()).startsWith("shardmend: " + job + ", line 1, column 2, at /command");
  }

  @Test
  void checkPrintsTheCommandLineAndRunsNothing() throws IOException {
    Path job = scratch.resolve("job.json");
    Files.writeString(
        job, "{\"command\": \"generate\", \"arguments\": [\"%s/new place\"]}".formatted(scratch));

    CommandRun run = CommandRun.of("run", job.toString(), "--check");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).isEqualTo("shardmend generate -- '%s/new place'\n".formatted(scratch));
    assertThat(scratch.resolve("new place")).doesNotExist();
  }

  private static List<String> words(String job) throws JobException {
    return new JobFile("job.json", job, VARIABLES).words(List.of());
  }
}
