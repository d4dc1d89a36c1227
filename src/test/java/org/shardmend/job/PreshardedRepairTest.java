package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.dynatrace.hash4j.hashing.Hashing;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.Strategy;

/** Repairs of the presharded samples, which name the aliases of MLA in their checksum.json. */
class PreshardedRepairTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String SHA1 = "presharded-tp2-pp2-sha1";
  private static final String XXH3 = "presharded-tp2-pp2-xxh3";
  private static final String DUMP = "TP-2-sig-49c4b287720e2996";
  private static final int WEIGHT_FILES = 6;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {SHA1, XXH3})
  void anOutputHasTheSameFilesAndOtherNames(String sample) throws Exception {
    Path source = LayoutActions.copyOfSample(sample, directory);
    Map<String, String> before = LayoutActions.content(source);
    Path output = directory.resolve("repaired");

    LayoutActions actions = LayoutActions.with();
    RepairResult result = actions.repair(source, output, Strategy.COPY);

    assertThat(result.counts().rename()).isPositive();
    assertThat(LayoutActions.content(source)).isEqualTo(before);
    Map<String, String> after = new TreeMap<>(LayoutActions.content(output));
    assertThat(after.keySet()).isEqualTo(before.keySet());
    String checksumJson = DUMP + "/checksum.json";
    assertThat(after.get(checksumJson)).isNotEqualTo(before.get(checksumJson));
    after.put(checksumJson, before.get(checksumJson));
    assertThat(after).isEqualTo(before);
    requireOnlyNamesAndSumsDiffer(document(source), document(output));
    requireRightSums(document(output));
    assertThat(actions.verify(output).faults()).isEmpty();
    assertThat(actions.verifyAgainst(output.resolve(DUMP), source.resolve(DUMP)).faults())
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {SHA1, XXH3})
  void inPlaceNoWeightFileIsTouchedAndRollbackBringsTheOldNamesBack(String sample)
      throws Exception {
    Path source = LayoutActions.copyOfSample(sample, directory);
    Path dump = source.resolve(DUMP);
    Map<String, String> before = LayoutActions.content(dump);
    JsonNode documentBefore = document(source);
    List<String> identities = identities(dump);

    LayoutActions actions = LayoutActions.with();
    RepairResult result = actions.repairInPlace(dump);

    assertThat(result.strategies()).isEqualTo(Map.of(Strategy.NONE, WEIGHT_FILES));
    assertThat(identities(dump)).isEqualTo(identities);
    requireOnlyNamesAndSumsDiffer(documentBefore, document(source));
    requireRightSums(document(source));
    assertThat(actions.verify(dump).faults()).isEmpty();
    assertThat(actions.plan(dump).plan().nothingToDo()).isTrue();

    actions.rollback(dump);
    assertThat(LayoutActions.content(dump)).isEqualTo(before);
  }

  @Test
  void everyRankAndNameIsARowOfThePlan() throws Exception {
    Path source = LayoutActions.copyOfSample(XXH3, directory);

    PlannedCheckpoint planned = LayoutActions.with("moe-correction-bias-legacy").plan(source);

    long reads = 0;
    for (JsonNode rank : document(source).path("rank_to_reads")) {
      reads += rank.size();
    }
    assertThat(planned.plan().counts().tensors()).isEqualTo(reads);
    assertThat(planned.plan().shards()).hasSize(WEIGHT_FILES);
    assertThat(planned.plan().changes().map(change -> change.unit().label()).distinct())
        .contains("pp 0, tp 0", "pp 0, tp 1", "pp 1, tp 0", "pp 1, tp 1");
    assertThat(planned.plan().changes().map(change -> change.target()))
        .contains("language_model.model.layers.0.mlp.experts.correction_bias");
  }

  @ParameterizedTest
  @ValueSource(strings = {SHA1, XXH3})
  void theAuditHasARowForEveryRankAndName(String sample) throws Exception {
    Path source = LayoutActions.copyOfSample(sample, directory);
    Path output = directory.resolve("repaired");
    LayoutActions actions = LayoutActions.with();
    actions.repair(source, output, Strategy.COPY);

    Map<String, Integer> rows = new TreeMap<>();
    Map<String, Integer> renamed = new TreeMap<>();
    new AuditQuery(actions.job(), LayoutActions.location(output))
        .read(
            run -> {},
            row -> {
              int rank = 2 * row.<Integer>getAs("pp_rank") + row.<Integer>getAs("tp_rank");
              rows.merge(rank + " " + row.getAs("tensor"), 1, Integer::sum);
              renamed.merge(rank + " " + row.getAs("target_tensor"), 1, Integer::sum);
            });

    assertThat(rows).isEqualTo(namesByRank(document(source)));
    assertThat(renamed).isEqualTo(namesByRank(document(output)));
  }

  /** Each rank with each of its names, once. */
  private static Map<String, Integer> namesByRank(JsonNode document) {
    Map<String, Integer> names = new TreeMap<>();
    document
        .get("rank_to_reads")
        .properties()
        .forEach(
            rank ->
                rank.getValue()
                    .forEach(
                        read -> names.put(rank.getKey() + " " + read.get("name").asText(), 1)));
    return names;
  }

  @Test
  void aSumThatIsNotThatOfItsRankIsRefusedAndReported() throws Exception {
    Path source = LayoutActions.copyOfSample(SHA1, directory);
    ObjectNode document = (ObjectNode) document(source);
    ((ObjectNode) document.get("rank_checksums")).put("2", "00000000deadbeef");
    JSON.writeValue(source.resolve(DUMP).resolve("checksum.json").toFile(), document);

    LayoutActions actions = LayoutActions.with();

    assertThatThrownBy(() -> actions.plan(source))
        .isInstanceOf(JobException.class)
        .hasMessageContaining("rank 2 (pp 1, tp 0)");
    assertThat(actions.verify(source).faults()).extracting(Finding::code).contains("rank-checksum");
  }

  @Test
  void aByteThatIsNotWhatItsKeySaysIsFoundByReadingEverything() throws Exception {
    Path source = LayoutActions.copyOfSample(SHA1, directory);
    Path file = source.resolve(DUMP).resolve("model-00002-rank-001.safetensor");
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 1] ^= 1;
    Files.write(file, bytes);

    assertThat(LayoutActions.with().verify(source).faults())
        .filteredOn(fault -> fault.code().equals("bytes-differ"))
        .singleElement()
        .satisfies(fault -> assertThat(fault.shard()).endsWith("model-00002-rank-001.safetensor"));
  }

  private static JsonNode document(Path root) throws IOException {
    return JSON.readTree(root.resolve(DUMP).resolve("checksum.json").toFile());
  }

  private static List<String> identities(Path dump) throws IOException {
    try (Stream<Path> files = Files.list(dump)) {
      List<String> identities = new ArrayList<>();
      for (Path file : files.filter(f -> f.toString().endsWith(".safetensor")).sorted().toList()) {
        identities.add(
            "%s %s %s"
                .formatted(
                    file.getFileName(),
                    Files.getAttribute(file, "unix:ino"),
                    Files.getAttribute(file, "unix:ctime")));
      }
      return identities;
    }
  }

  private static void requireOnlyNamesAndSumsDiffer(JsonNode before, JsonNode after) {
    assertThat(before.toString()).contains(".attn_mha.kv_b_proj.");
    assertThat(after.toString()).doesNotContain(".attn_mha.kv_b_proj.");
    ObjectNode expected =
        (ObjectNode) readTree(before.toString().replace(".attn_mha.kv_b_proj.", ".kv_b_proj."));
    expected.set("rank_checksums", after.get("rank_checksums"));
    assertThat(after).isEqualTo(expected);
  }

  private static JsonNode readTree(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** By the formula of the loader, with nothing of ours. */
  private static void requireRightSums(JsonNode document) throws NoSuchAlgorithmException {
    for (Map.Entry<String, JsonNode> rank : document.get("rank_to_reads").properties()) {
      long sum = 0;
      for (JsonNode read : rank.getValue()) {
        String key = read.get("stored_key").asText();
        byte[] text = (read.get("name").asText() + ":" + key).getBytes(StandardCharsets.UTF_8);
        sum +=
            key.length() == 40
                ? ByteBuffer.wrap(MessageDigest.getInstance("SHA-1").digest(text)).getLong()
                : Hashing.xxh3_128().hashBytesTo128Bits(text).getMostSignificantBits();
      }
      assertThat(document.get("rank_checksums").get(rank.getKey()).asText())
          .isEqualTo("%016x".formatted(sum));
    }
  }
}
