package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Samples;

/**
 * The options that prove a checkpoint before it is launched, from the command line: healthy
 * checkpoints, original models, expected states, and what can be found out about names.
 */
class ProofOptionsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SAMPLE = Samples.directory("mla-tp2-pp2");
  private static final String EXPECTED = SAMPLE + ".expected.json";
  private static final String INDEX = "model.safetensors.index.json";

  @TempDir private Path scratch;

  @Test
  void aHealthyCheckpointOfTheSameShapeSaysWhatIsWrong() {
    Path broken = generate("broken", "--tp", "2", "--fault", "alias-only");
    Path healthy = generate("healthy", "--tp", "2", "--fault", "clean");

    CommandRun of = CommandRun.of("verify", broken + "", "--like", healthy + "", "--json");

    assertThat(of.exit()).isEqualTo(3);
    assertThat(of.document().get("faults").findValuesAsText("code"))
        .contains("unexpected-tensor", "missing-tensor");
    assertThat(CommandRun.of("verify", healthy + "", "--like", healthy + "").exit()).isZero();
  }

  @Test
  void faultsThatDifferInRankAndLayerAreOneLineForPeople() {
    Path broken = generate("broken", "--tp", "2");
    Path healthy = generate("healthy", "--tp", "2", "--fault", "clean");

    CommandRun run = CommandRun.of("verify", broken + "", "--like", healthy + "");

    String kvB = "language_model.model.layers.*.self_attn.%skv_b_proj.weight'";
    assertThat(run.out().lines())
        .contains(
            "      2 × unexpected-tensor: KeyError: '" + kvB.formatted("attn_mha."),
            "          first: tp 0, model-rank-0-part-0.safetensors",
            "Next: shardmend plan %s      what a change of names cures".formatted(broken))
        .anyMatch(line -> line.startsWith("      2 × missing-tensor: ValueError: Missing keys ('"))
        .hasSize(8);
  }

  @Test
  void oneFaultAloneIsSaidAsItIs() {
    Path broken = generate("broken");

    assertThat(CommandRun.of("verify", broken + "").out().lines())
        .anyMatch(
            line ->
                line.matches(
                    "      1 × alias: model-rank-0-part-0.safetensors: tp 0: .*layers\\.3\\..*"));
  }

  @Test
  void twoExpectationsAtOnceAreWrongUse() {
    CommandRun run =
        CommandRun.of("verify", SAMPLE + "", "--like", SAMPLE + "", "--expected-state", EXPECTED);

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("--expected-state", "--like", "give one");
  }

  @Test
  void theOriginalModelMakesAPlanDoubtful() throws Exception {
    Path checkpoint = generate("aliased", "--format", "huggingface", "--fault", "alias-only");
    Path model =
        generate(
            "model", "--format", "huggingface", "--fault", "clean", "--max-shard-bytes", "100KB");
    ObjectNode index = (ObjectNode) JSON.readTree(model.resolve(INDEX).toFile());
    index.withObject("/metadata").put("total_size", 1L << 40);
    List<String> modules = new ArrayList<>();
    index.get("weight_map").fieldNames().forEachRemaining(modules::add);
    modules.stream()
        .filter(name -> name.contains(".kv_b_proj."))
        .forEach(name -> ((ObjectNode) index.get("weight_map")).remove(name));
    JSON.writeValue(model.resolve(INDEX).toFile(), index);

    CommandRun run = CommandRun.of("plan", checkpoint + "", "--source-model", model + "", "--json");

    assertThat(run.exit()).isEqualTo(3);
    JsonNode findings = run.document().get("findings");
    assertThat(findings.findValuesAsText("code")).contains("unknown-to-source", "source-bytes");
    assertThat(findings.toString()).contains(".kv_b_proj.weight");
  }

  @Test
  void theConfigFollowsTheNamesOnRequest() throws Exception {
    Path checkpoint = generate("aliased", "--fault", "alias-only");
    Path config = checkpoint.resolve("config.json");
    ObjectNode document = (ObjectNode) JSON.readTree(config.toFile());
    String module = "language_model.model.layers.3.self_attn.%skv_b_proj";
    document
        .putObject("quantization_config")
        .putArray("modules_to_not_convert")
        .add(module.formatted("attn_mha."));
    JSON.writeValue(config.toFile(), document);
    String output = scratch.resolve("repaired") + "";

    CommandRun plan = CommandRun.of("plan", checkpoint + "", "--json");
    CommandRun repair =
        CommandRun.of("repair", checkpoint + "", "--output", output, "--rewrite-config");

    assertThat(plan.document().get("findings").findValuesAsText("code"))
        .contains("config-names-modules");
    assertThat(repair.exit()).isZero();
    document
        .withObject("/quantization_config")
        .putArray("modules_to_not_convert")
        .add(module.formatted(""));
    assertThat(JSON.readTree(Path.of(output, "config.json").toFile())).isEqualTo(document);
  }

  @Test
  void proposedRulesAreAFileThatCanBeUsed() throws Exception {
    Path rules = scratch.resolve("my-rules.json");

    CommandRun found =
        CommandRun.of(
            "plan",
            SAMPLE + "",
            "--no-default-rules",
            "--find-aliases",
            "--expected-state",
            EXPECTED,
            "--json");
    JSON.writeValue(rules.toFile(), found.document().at("/aliases/rules"));

    assertThat(found.exit()).isZero();
    assertThat(found.document().at("/aliases/renamed")).isNotEmpty();
    CommandRun check = CommandRun.of("rules", "--check", rules + "");
    assertThat(check.exit()).isZero();
    assertThat(check.out()).contains("every example holds");
    CommandRun plan =
        CommandRun.of("plan", SAMPLE + "", "--no-default-rules", "--rules", rules + "", "--json");
    CommandRun builtIn = CommandRun.of("plan", SAMPLE + "", "--json");
    assertThat(plan.document().get("counts")).isEqualTo(builtIn.document().get("counts"));
  }

  @Test
  void theProposalIsShownToPeopleAsTheFileThatTheyWouldSave() throws Exception {
    CommandRun run =
        CommandRun.of(
            "plan", SAMPLE + "", "--no-default-rules", "--find-aliases", "--like", SAMPLE + "");
    CommandRun shown =
        CommandRun.of(
            "plan",
            SAMPLE + "",
            "--no-default-rules",
            "--find-aliases",
            "--expected-state",
            EXPECTED);

    assertThat(run.out()).contains("No names found that stand for another");
    String text = shown.out();
    assertThat(text).contains("Proposed rules", "my-rules.json");
    Path rules = scratch.resolve("my-rules.json");
    Files.writeString(rules, text.substring(text.indexOf('{')));
    assertThat(CommandRun.of("rules", "--check", rules + "").exit()).isZero();
  }

  @Test
  void anExpectedStateOfAPlanNeedsASearch() {
    CommandRun run = CommandRun.of("plan", SAMPLE + "", "--expected-state", EXPECTED);

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("--find-aliases", "shardmend verify");
  }

  private Path generate(String name, String... options) {
    Path target = scratch.resolve(name);
    List<String> arguments = new ArrayList<>(List.of("generate", target + "", "--layers", "4"));
    arguments.addAll(List.of("--bytes", "300KB"));
    arguments.addAll(List.of(options));
    CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
    assertThat(run.exit()).as(run.err()).isZero();
    return target;
  }
}
