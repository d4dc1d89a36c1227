package org.shardmend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.ShardmendProcess;
import org.shardmend.trial.TrialSettings;

/** The job files that come along, each run through the launcher on a tree of its own. */
class JobFileIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path scratch;

  @Test
  void theNightlySweepRepairsWhatIsNewAndLogsEachLineWithItsRun() throws Exception {
    Path broken =
        DirectoryContent.copy(
            Samples.directory("mla-tp2-pp2"), scratch.resolve("tree/team/broken"));
    Path old =
        DirectoryContent.copy(Samples.directory("mla-fp8-tp4"), scratch.resolve("tree/team/old"));
    age(broken, Duration.ofHours(2));
    age(old, Duration.ofDays(3));

    ShardmendProcess.Result run =
        process()
            .environment("SHARDMEND_CHECKPOINTS", scratch.resolve("tree").toString())
            .run(
                "run",
                "jobs/nightly-sweep.json",
                "--result",
                scratch.resolve("result.json").toString(),
                "--log-format",
                "json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode result = JSON.readTree(Files.readString(scratch.resolve("result.json")));
    assertThat(result.at("/checkpoints").size()).isEqualTo(1);
    assertThat(result.at("/outcomes/done").asInt()).isEqualTo(1);
    assertThat(result.at("/exit_code").asInt()).isZero();
    String runId = result.at("/checkpoints/0/run_id").asText();
    List<JsonNode> lines = run.err().lines().map(JobFileIT::json).toList();
    assertThat(lines).isNotEmpty();
    assertThat(lines)
        .allSatisfy(line -> assertThat(line.path("run_id").asText()).startsWith("r"))
        .allSatisfy(line -> assertThat(line.path("message").asText()).isNotBlank())
        .anySatisfy(line -> assertThat(line.path("message").asText()).contains("broken: done"));
    assertThat(runId).startsWith("r");
  }

  @Test
  void theMigrationRepairsACheckpointOfThatShapeInPlace() throws Exception {
    Path checkpoint = scratch.resolve("kimi-k3");
    generate(checkpoint);

    ShardmendProcess.Result run =
        process()
            .environment("SHARDMEND_CHECKPOINT", checkpoint.toString())
            .run("run", "jobs/migrate-kimi-k3.json", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    JsonNode document = JSON.readTree(run.out());
    assertThat(document.path("schema").asText()).isEqualTo("shardmend/repair/1");
    assertThat(document.at("/strategies/PATCH").asInt()).isPositive();
    assertThat(document.at("/counts/RENAME").asInt()).isPositive();
    assertThat(document.path("audit").asText()).endsWith("/audit");
  }

  private ShardmendProcess process() {
    return new ShardmendProcess()
        .master("local[2]")
        .environment("SHARDMEND_AUDIT", scratch.resolve("audit").toString());
  }

  private static void generate(Path checkpoint) throws JobException {
    TrialSettings settings =
        TrialSettings.builder().tp(4).pp(8).ep(4).layers(16).bytes(4_000_000).build();
    new GenerateAction(
            settings,
            Locations.parse(checkpoint.toString(), new Configuration()),
            "",
            Progress.SILENT)
        .execute();
  }

  private static void age(Path directory, Duration age) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(age)));
      }
    }
  }

  private static JsonNode json(String line) {
    try {
      return JSON.readTree(line);
    } catch (IOException e) {
      throw new AssertionError("Not a line of JSON: " + line, e);
    }
  }
}
