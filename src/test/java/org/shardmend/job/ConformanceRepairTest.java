package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.safetensors.ConformanceCase;
import org.shardmend.testing.DirectoryContent;
import org.shardmend.testing.SharedSparkJob;

/**
 * Repairs what the reference reader accepts, however odd: each such file is a rank of one
 * checkpoint, and a rule changes every name that it can.
 */
@ExtendWith(SharedSparkJob.class)
class ConformanceRepairTest {
  private static final String RULE =
      """
      {"name": "all", "about": "For a test.", "layouts": ["sharded_state"], "default": false,
       "rules": [{"from": "(?<name>.+[^Q])", "to": "${name}Q", "examples": [["name", "nameQ"]]}]}
      """;

  @TempDir private Path scratch;
  private Path source;
  private Actions actions;

  @BeforeEach
  void writeRanks(SparkJob job) throws IOException, JobException {
    source = Files.createDirectory(scratch.resolve("source"));
    List<ConformanceCase> accepted =
        ConformanceCase.all().stream()
            .filter(one -> one.isAccepted() && !one.hasDuplicateName())
            .toList();
    for (int rank = 0; rank < accepted.size(); rank++) {
      Files.write(
          source.resolve("model-rank-%d-part-0.safetensors".formatted(rank)),
          accepted.get(rank).file());
    }
    Path rules = Files.writeString(scratch.resolve("all.json"), RULE);
    actions = Actions.withOnlyRules(job, rules.toString());
  }

  @Test
  void everyFileIsRepairedIntoAnOutputAndAccountedFor() throws Exception {
    Path output = scratch.resolve("output");

    RepairResult result =
        actions.repair(
            RepairRequest.toOutput(actions.of(source), Actions.location(output))
                .verify(RepairRequest.Verify.FULL));

    assertThat(result.counts().rename()).isGreaterThan(100);
    assertRepaired(output, source, result);
  }

  @Test
  void everyFileIsRepairedInPlaceAndAccountedFor() throws Exception {
    Path changed = DirectoryContent.copy(source, scratch.resolve("changed"));

    RepairResult result = actions.repairInPlace(changed);

    assertRepaired(changed, source, result);
    actions.rollback(changed);
    assertThat(shards(changed)).isEqualTo(shards(source));
  }

  private void assertRepaired(Path repaired, Path before, RepairResult result) throws Exception {
    assertThat(actions.verifyAgainst(repaired, before).faults())
        .filteredOn(fault -> !fault.code().startsWith("sibling-"))
        .isEmpty();
    Map<String, String> targets = new HashMap<>();
    List<Row> rows = new ArrayList<>();
    new AuditQuery(actions.job(), Actions.location(repaired)).read(run -> {}, rows::add);
    rows.forEach(
        row ->
            targets.put(
                row.getAs("shard") + ": " + row.getAs("tensor"), row.getAs("target_tensor")));
    assertThat(rows).hasSize((int) result.counts().tensors());
    assertThat(targets.values()).doesNotContainNull().contains("");
  }

  private static Map<String, String> shards(Path directory) throws IOException {
    Map<String, String> content = DirectoryContent.of(directory);
    content.keySet().removeIf(name -> !name.endsWith(".safetensors"));
    return content;
  }
}
