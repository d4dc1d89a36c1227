package org.shardmend.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.job.files.ExpectedStates;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.Locations;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/**
 * The engines' plugin in {@code scripts/expected_state}, in modules that stand in for SGLang, vLLM
 * and PyTorch; with the real ones it was not tried here.
 */
class ExpectedStatePluginTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path PLUGIN = Path.of("scripts", "expected_state").toAbsolutePath();
  private static final Path STAND_IN =
      Path.of("src", "test", "resources", "engine-stand-in").toAbsolutePath();
  private static final int RANKS = 2;
  private static final int STAGES = 2;
  private static final Map<String, String> TORCH = Map.of("BF16", "bfloat16", "F32", "float32");

  @TempDir private Path scratch;
  private Path checkpoint;
  private Path written;
  private Trial trial;

  @BeforeAll
  static void requirePython() {
    assumeTrue(hasPython(), "There is no python3 here: the engine's plugin is not tested");
  }

  private static boolean hasPython() {
    try {
      return new ProcessBuilder("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 10))")
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @BeforeEach
  void generate() throws JobException {
    checkpoint = scratch.resolve("checkpoint");
    written = scratch.resolve("expected");
    TrialSettings settings =
        TrialSettings.builder()
            .tp(RANKS)
            .pp(STAGES)
            .layers(4)
            .bytes(100_000)
            .fault(Fault.ALIAS_ONLY)
            .build();
    trial =
        new GenerateAction(
                settings,
                Locations.parse(checkpoint.toString(), new Configuration()),
                "",
                Progress.SILENT)
            .execute();
  }

  @Test
  void oneFailedStartLeavesTheExpectedStateOfEveryRank() throws Exception {
    for (int pp = 0; pp < STAGES; pp++) {
      for (int tp = 0; tp < RANKS; tp++) {
        Start start = start(pp, tp, Map.of());
        assertThat(start.exit() == 0).isEqualTo(!hasAlias(pp));
        assertThat(start.output()).contains(hasAlias(pp) ? "KeyError: '" : "loaded");
      }
    }

    ExpectedState expected = ExpectedStates.read(written.toString());

    for (int pp = 0; pp < STAGES; pp++) {
      for (int tp = 0; tp < RANKS; tp++) {
        UnitId rank = new UnitId(pp, tp);
        assertThat(expected.forUnit(rank)).isEqualTo(trial.expected().forUnit(rank));
      }
    }
    Path repaired = scratch.resolve("repaired");
    CommandRun broken = verify(checkpoint);
    assertThat(broken.exit()).isEqualTo(3);
    assertThat(broken.out()).contains("unexpected-tensor", "missing-tensor");
    assertThat(CommandRun.of("repair", checkpoint.toString(), "--output", repaired + "").exit())
        .isZero();
    assertThat(verify(repaired).exit()).isZero();
  }

  @Test
  void withoutTheVariableTheEngineStartsAsEver() throws Exception {
    Start start = start(0, 0, Map.of("SHARDMEND_EXPECTED_STATE", ""));

    assertThat(start.output()).contains("loaded");
    assertThat(written).doesNotExist();
  }

  @Test
  void aDirectoryThatCannotBeWrittenStopsNoStart() throws Exception {
    Path taken = Files.createFile(scratch.resolve("taken"));

    Start start = start(0, 0, Map.of("SHARDMEND_EXPECTED_STATE", taken.toString()));

    assertThat(start.output()).contains("loaded", "The expected state was not written", "taken");
  }

  @Test
  void vllmLeavesItToo() throws Exception {
    int pp = STAGES - 1;

    Start start =
        start(
            "vllm",
            "model-pp-%d-rank-{rank}-part-{part}.safetensors".formatted(pp),
            pp,
            1,
            Map.of());

    assertThat(start.exit()).isNotZero();
    assertThat(start.output()).contains("KeyError: '");
    assertThat(ExpectedStates.read(written.toString()).forUnit(new UnitId(pp, 1)))
        .isEqualTo(trial.expected().forUnit(new UnitId(pp, 1)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sglang", "vllm"})
  void aRankThatFindsNoFileOfItsOwnLeavesItToo(String engine) throws Exception {
    Start start = start(engine, "of-another-name-{rank}-{part}", 0, 1, Map.of());

    assertThat(start.output()).contains("Could not find checkpoint files");
    assertThat(ExpectedStates.read(written.toString()).forUnit(new UnitId(0, 1)))
        .isEqualTo(trial.expected().forUnit(new UnitId(0, 1)));
  }

  /** Its loader looks a tensor up under each name, and counts those that hold nothing, too. */
  @Test
  void ofAPreshardedDumpTheWholeStateIsLeft() throws Exception {
    Start start = start("presharded", "", 0, 0, Map.of());

    assertThat(start.output()).contains("FileNotFoundError");
    Set<String> names =
        ExpectedStates.read(written.toString()).forUnit(new UnitId(0, 0)).orElseThrow().keySet();
    assertThat(names)
        .containsAll(trial.expected().forUnit(new UnitId(0, 0)).orElseThrow().keySet())
        .contains("empty")
        .anyMatch(name -> name.startsWith("zz.second_name."));
  }

  @Test
  void theRuntimeContextOfABuildIsAskedForItsRanks() throws Exception {
    start(1, 1, Map.of("STAND_IN_RUNTIME_CONTEXT", "1", "STAND_IN_NO_GETTERS", "1"));

    assertThat(written.resolve("expected-pp1-tp1.json")).exists();
  }

  @Test
  void aBuildThatDoesNotSayItsRanksStartsAsEver() throws Exception {
    Start start = start(0, 0, Map.of("STAND_IN_NO_GETTERS", "1"));

    assertThat(start.output())
        .contains("loaded", "The expected state was not written: AttributeError");
    assertThat(written).doesNotExist();
  }

  @Test
  void whatABuildNoLongerHasIsNamedAtTheStart() throws Exception {
    Start start = start(0, 0, Map.of("STAND_IN_GONE", "_filter_subtensors"));

    assertThat(start.output())
        .contains(
            "The expected state will not be written: this build's sglang.srt.model_loader.loader has"
                + " no ShardedStateLoader._filter_subtensors");
  }

  @Test
  void filesOfTwoStartsThatContradictEachOtherAreRefused() throws Exception {
    start(0, 0, Map.of());
    Files.copy(written.resolve("expected-pp0-tp0.json"), written.resolve("copy.json"));

    CommandRun run = verify(checkpoint);

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("do not go together", "same rank");
  }

  @Test
  void aDirectoryWithoutAnyIsWrongUse() throws Exception {
    Files.createDirectory(written);

    CommandRun run = verify(checkpoint);

    assertThat(run.exit()).isEqualTo(2);
    assertThat(run.err()).contains("holds no .json file");
  }

  private CommandRun verify(Path directory) {
    return CommandRun.of(
        "verify", directory.toString(), "--expected-state", written.toString(), "--json");
  }

  /** The stages that have a layer with MLA; of four hybrid layers only the last has. */
  private static boolean hasAlias(int pp) {
    return pp == STAGES - 1;
  }

  private record Start(int exit, String output) {}

  private Start start(int pp, int tp, Map<String, String> environment) throws Exception {
    return start(
        "sglang",
        "model-pp-%d-rank-{rank}-part-{part}.safetensors".formatted(pp),
        pp,
        tp,
        environment);
  }

  private Start start(
      String engine, String pattern, int pp, int tp, Map<String, String> environment)
      throws Exception {
    Path model = scratch.resolve("model-%d-%d.json".formatted(pp, tp));
    JSON.writeValue(model.toFile(), freshModel(new UnitId(pp, tp)));
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(
                    "python3",
                    STAND_IN.resolve("start.py").toString(),
                    engine,
                    checkpoint.toString(),
                    model.toString(),
                    pattern))
            .redirectErrorStream(true);
    builder.environment().put("PYTHONPATH", PLUGIN.toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    builder.environment().put("STAND_IN_TP_RANK", Integer.toString(tp));
    builder.environment().put("STAND_IN_PP_RANK", Integer.toString(pp));
    builder.environment().put("SHARDMEND_EXPECTED_STATE", written.toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Start(process.waitFor(), output);
  }

  /** What a fresh model has: besides what is expected, a second name for one, and an empty one. */
  private JsonNode freshModel(UnitId rank) {
    ObjectNode model = JSON.createObjectNode();
    trial
        .expected()
        .forUnit(rank)
        .orElseThrow()
        .forEach((name, tensor) -> put(model, name, tensor, name));
    Map.Entry<String, JsonNode> first = model.properties().iterator().next();
    model.set("zz.second_name." + first.getKey(), first.getValue());
    model.putObject("empty").put("dtype", "float32").put("storage", "").putArray("shape").add(0);
    return model;
  }

  private static void put(ObjectNode model, String name, ExpectedTensor tensor, String storage) {
    ObjectNode node =
        model.putObject(name).put("dtype", TORCH.get(tensor.dtype())).put("storage", storage);
    for (long size : tensor.shape().orElseThrow().toArray()) {
      node.withArray("shape").add(size);
    }
  }
}
