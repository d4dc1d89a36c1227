package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.plan.Rewrites;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Strategy;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/** Repairs of Hugging Face checkpoints: the index and, on request, config.json follow the names. */
class HuggingFaceRepairTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INDEX = "model.safetensors.index.json";
  private static final String ALIAS = "model.layers.0.self_attn.attn_mha.kv_b_proj";
  private static final String CANONICAL = "model.layers.0.self_attn.kv_b_proj";

  @TempDir private Path directory;

  @Test
  void theIndexFollowsTheNamesAndGivesTheNewTotal() throws Exception {
    Path source = directory.resolve("source");
    Trial trial = generate(Fault.BOTH_SAME, source);
    Path output = directory.resolve("repaired");

    LayoutActions.with().repair(source, output, Strategy.COPY);

    JsonNode before = index(source);
    JsonNode after = index(output);
    assertThat(before.get("weight_map").toString()).contains(".attn_mha.");
    assertThat(after.get("weight_map").toString()).doesNotContain(".attn_mha.");
    assertThat(after.get("weight_map").size())
        .isEqualTo(trial.expected().units().get(0).tensors().size());
    assertThat(after.path("metadata").path("total_size").asLong())
        .isPositive()
        .isLessThan(before.path("metadata").path("total_size").asLong());
  }

  @Test
  void anIndexThatMisplacesATensorAndStatesAnotherTotalIsFound() throws Exception {
    Path source = directory.resolve("source");
    generate(Fault.CLEAN, source);
    ObjectNode index = (ObjectNode) index(source);
    ObjectNode map = (ObjectNode) index.get("weight_map");
    String tensor = map.fieldNames().next();
    String elsewhere =
        map.properties().stream()
            .map(entry -> entry.getValue().asText())
            .filter(file -> !file.equals(map.get(tensor).asText()))
            .findFirst()
            .orElseThrow();
    map.put(tensor, elsewhere);
    ((ObjectNode) index.get("metadata")).put("total_size", 5);
    JSON.writeValue(source.resolve(INDEX).toFile(), index);

    LayoutActions actions = LayoutActions.with();

    assertThat(actions.plan(source).findings())
        .extracting(Finding::code)
        .contains("index-misplaced", "index-tensor-missing", "index-total-size");
    VerifyResult verified = actions.verify(source);
    assertThat(verified.faults())
        .extracting(fault -> fault.code())
        .containsExactlyInAnyOrder("index-misplaced", "index-tensor-missing");
    assertThat(verified.findings()).extracting(Finding::code).containsExactly("index-total-size");
  }

  @Test
  void anIndexThatIsMissingIsWrittenFromTheShardsAndWithTheNewNames() throws Exception {
    Path source = directory.resolve("source");
    generate(Fault.ALIAS_ONLY, source);
    JsonNode told = JSON.readTree(source.resolve(INDEX).toFile());
    Files.delete(source.resolve(INDEX));
    LayoutActions actions = LayoutActions.with();
    Path output = directory.resolve("output");

    new RepairAction(
            actions.job(),
            RepairRequest.toOutput(
                actions.of(source).rewriting(Rewrites.NONE.withIndex()),
                LayoutActions.location(output)))
        .execute();

    JsonNode written = JSON.readTree(output.resolve(INDEX).toFile());
    assertThat(written.get("metadata")).isEqualTo(told.get("metadata"));
    assertThat(written.get("weight_map").size()).isEqualTo(told.get("weight_map").size());
    assertThat(written.get("weight_map").toString()).doesNotContain("attn_mha");
    assertThat(actions.verify(output).faults()).isEmpty();
  }

  @Test
  void configNamesModulesUntilItIsRewrittenAndAnIndexThatIsALinkIsReplaced() throws Exception {
    Path source = directory.resolve("cache/snapshots/0123abc");
    Path blobs = Files.createDirectories(directory.resolve("cache/blobs"));
    generate(Fault.ALIAS_ONLY, source);
    String config = "{\"quantization_config\": {\"ignore\": [\"%s\", \"lm_head\"]}}\n";
    Files.writeString(source.resolve("config.json"), config.formatted(ALIAS));
    Files.move(source.resolve(INDEX), blobs.resolve("4567def"));
    Files.createSymbolicLink(source.resolve(INDEX), Path.of("../../blobs/4567def"));
    LayoutActions actions = LayoutActions.with();
    Path output = directory.resolve("repaired");

    assertThat(actions.plan(source).findings())
        .extracting(Finding::code)
        .contains("config-names-modules");
    new RepairAction(
            actions.job(),
            RepairRequest.toOutput(
                actions.of(source).rewriting(Rewrites.NONE.withConfig()),
                LayoutActions.location(output)))
        .execute();

    assertThat(output.resolve("config.json")).hasContent(config.formatted(CANONICAL));
    assertThat(index(output).toString()).doesNotContain(".attn_mha.");
    assertThat(Files.isSymbolicLink(output.resolve(INDEX))).isFalse();
  }

  private static JsonNode index(Path checkpoint) throws IOException {
    return JSON.readTree(checkpoint.resolve(INDEX).toFile());
  }

  private static Trial generate(Fault fault, Path target) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .layout(Layout.HUGGINGFACE)
            .fault(fault)
            .layers(4)
            .hybrid(false)
            .bytes(300_000)
            .maxShardBytes(60_000)
            .build();
    return new GenerateAction(settings, LayoutActions.location(target), "", Progress.SILENT)
        .execute();
  }
}
