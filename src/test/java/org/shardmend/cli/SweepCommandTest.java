package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.StagedRun;

/** A sweep by the command line: what it prints, how it exits, what it leaves for Prometheus. */
@Tag("smoke")
class SweepCommandTest {
  @TempDir private Path scratch;

  private Path root;
  private Path audit;

  @BeforeEach
  void makeATree() {
    root = scratch.resolve("tree");
    audit = scratch.resolve("audit");
    DirectoryContent.copy(Samples.directory("mla-tp2-pp2"), root.resolve("broken"));
  }

  @Test
  void aSweepEndsWithATableAndTheNextFindsNothing() {
    CommandRun first = sweep("--in-place");

    assertThat(first.exit()).isZero();
    assertThat(first.out())
        .containsPattern("outcome +changes +read +written +seconds +checkpoint")
        .containsPattern("done +[1-9][0-9]* .*/tree/broken")
        .endsWith("1 checkpoints: 1 done\n");
    assertThat(first.err()).contains("Sweep 1 checkpoints", "/tree/broken: done");

    CommandRun second = sweep("--in-place", "--json");
    assertThat(second.exit()).isZero();
    assertThat(second.document().path("outcome").asText()).isEqualTo("nothing-to-do");
  }

  @Test
  void theWorstOutcomeDecidesTheExitCodeAndItsReasonStandsInTheTable() throws IOException {
    DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), root.resolve("unfinished"));
    Files.delete(root.resolve("unfinished/model-rank-2-part-0.safetensors"));
    Path metrics = scratch.resolve("shardmend.prom");

    CommandRun run = sweep("--in-place", "--json", "--metrics-file", metrics.toString());

    assertThat(run.exit()).isEqualTo(4);
    JsonNode document = run.document();
    assertThat(document.path("outcome").asText()).isEqualTo("refused");
    assertThat(document.at("/outcomes/done").asInt()).isEqualTo(1);
    assertThat(document.at("/outcomes/refused").asInt()).isEqualTo(1);
    assertThat(document.at("/checkpoints/0/run_id").asText()).startsWith("r");
    assertThat(document.at("/checkpoints/1/message").asText()).contains("rank");
    assertThat(metrics)
        .content()
        .contains("# TYPE shardmend_runs gauge")
        .contains("shardmend_runs{command=\"sweep\",outcome=\"done\"} 1.0")
        .contains("shardmend_refused{command=\"sweep\"} 1.0")
        .contains("shardmend_exit_code{command=\"sweep\"} 4.0")
        .containsPattern("shardmend_shards\\{command=\"sweep\"} [1-9]")
        .containsPattern("shardmend_written_bytes\\{command=\"sweep\"} [1-9]")
        .containsPattern("shardmend_run_seconds\\{command=\"sweep\"} [0-9.]+\n");
    try (Stream<Path> files = Files.list(scratch)) {
      assertThat(files.filter(file -> file.getFileName().toString().contains(".new-"))).isEmpty();
    }

    CommandRun again = sweep("--in-place");
    assertThat(again.exit()).isEqualTo(4);
    assertThat(again.out()).contains("refused-before", "--retry-refused");
  }

  @Test
  void theTableSaysWhatIsWrongNotOnlyThatSomethingIs() {
    Path differing = root.resolve("differing");
    CommandRun.of("generate", differing.toString(), "--fault", "both-differ", "--bytes", "1MB");

    CommandRun run = sweep("--dry-run", "--include", "differing");

    assertThat(run.exit()).isEqualTo(4);
    assertThat(run.out())
        .containsPattern(
            "is refused, nothing was changed: .*has other bytes than what else stands for");
  }

  @Test
  void aWarningTellsOfCheckpointsThatAnotherOneHides() {
    DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), root.resolve("broken/deeper"));
    Path metrics = scratch.resolve("shardmend.prom");

    CommandRun text = sweep("--dry-run");
    CommandRun json = sweep("--dry-run", "--json", "--metrics-file", metrics.toString());

    assertThat(text.exit()).isZero();
    assertThat(text.out())
        .containsPattern("WARNING +hidden-checkpoints: file:.*/tree/broken counts as a checkpoint")
        .endsWith("1 checkpoints: 1 found\n");
    assertThat(json.exit()).isZero();
    assertThat(json.document().at("/findings/0/code").asText()).isEqualTo("hidden-checkpoints");
    assertThat(json.document().path("not_looked_at"))
        .singleElement()
        .satisfies(
            path -> assertThat(path.asText()).isEqualTo("file:" + root.resolve("broken/deeper")));
    assertThat(metrics).content().contains("shardmend_not_looked_at{command=\"sweep\"} 1.0");
  }

  @Test
  void wrongUseHasItsMetricsToo() {
    Path metrics = scratch.resolve("shardmend.prom");

    CommandRun run = CommandRun.of("plan", "--metrics-file", metrics.toString());

    assertThat(run.exit()).isEqualTo(2);
    assertThat(metrics).content().contains("shardmend_exit_code{command=\"plan\"} 2.0");
  }

  @Test
  void manyRunsOfAnAuditAreCompactedAndReadTheSame() throws IOException {
    sweep("--in-place");
    DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), root.resolve("second"));
    sweep("--in-place");
    JsonNode before = audit("--json").document();
    assertThat(before.path("rows")).isNotEmpty().allMatch(row -> row.has("tensor"));
    Path result = scratch.resolve("result.json");
    audit("--result", result.toString());
    ObjectNode written = (ObjectNode) new ObjectMapper().readTree(result.toFile());
    assertThat(written.remove("exit_code").asInt(-1)).isZero();
    assertThat(written).as("where text is printed").isEqualTo(before);

    CommandRun compact = audit("--compact", "--json");

    assertThat(compact.exit()).isZero();
    // One month, unless this runs at the end of one.
    JsonNode months = compact.document().path("compacted");
    assertThat(sum(months.findValues("runs"))).isEqualTo(2);
    assertThat(sum(months.findValues("files_after"))).isEqualTo(3 * months.size());
    assertThat(audit("--json").document()).isEqualTo(before);
    assertThat(audit("--compact", "--json").document().path("outcome").asText())
        .isEqualTo("nothing-to-do");
    assertThat(audit("--compact", "--run", "r20261130T081500Z-1a2b3c4d").exit()).isEqualTo(2);
    assertThat(CommandRun.of("audit", scratch.resolve("nowhere").toString(), "--compact").exit())
        .isEqualTo(2);
  }

  @Test
  void aCompactionRemovesWhatDeadRunsHaveStagedAndSaysWhatMayBeOfLiveOnes() throws Exception {
    String dead = "r20261130T081500Z-1a2b3c4d";
    String foreign = "r20261130T081501Z-1a2b3c4d";
    StagedRun.make(audit, dead, root).dead();
    StagedRun.make(audit, foreign, root).elsewhere();

    CommandRun run = audit("--compact", "--json");

    assertThat(run.exit()).isZero();
    assertThat(run.document().path("outcome").asText()).isEqualTo("done");
    assertThat(run.document().path("removed_staged").toString()).isEqualTo("[\"" + dead + "\"]");
    assertThat(run.document().at("/left_staged/0/run").asText()).isEqualTo(foreign);
    assertThat(run.document().at("/left_staged/0/why").asText()).contains("on host elsewhere");
    CommandRun text = audit("--compact");
    assertThat(text.out())
        .contains(
            "Nothing to compact",
            foreign + ": left what it has staged.",
            "remove it: file:" + audit.resolve("_staging").resolve(foreign));
    assertThat(audit.resolve("_staging").toFile().list()).containsExactly(foreign);
  }

  private static int sum(List<JsonNode> numbers) {
    return numbers.stream().mapToInt(JsonNode::asInt).sum();
  }

  private CommandRun audit(String... options) {
    return run(List.of("audit", audit.toString()), options);
  }

  private CommandRun sweep(String... options) {
    return run(
        List.of("sweep", root.toString(), "--audit", audit.toString(), "--settle", "0s"), options);
  }

  private static CommandRun run(List<String> words, String... more) {
    return CommandRun.of(Stream.concat(words.stream(), Stream.of(more)).toArray(String[]::new));
  }
}
