package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Builders;
import net.jqwik.api.ForAll;
import net.jqwik.api.GenerationMode;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.HeaderFindings;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.layout.PreshardedLayout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.PreshardedTensors;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.StoreCheckpointFiles;
import org.shardmend.trial.CheckpointGenerator;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.NameStyle;
import org.shardmend.trial.TrialSettings;

/** A healthy checkpoint has no finding, of whatever shape and layout it is. */
class NoFalseAlarmTest {

  @Property(tries = 60)
  void aHealthyShardedStateCheckpointHasNoFinding(@ForAll("shapes") TrialSettings.Builder shape)
      throws Exception {
    assertThat(findings(shape.layout(Layout.SHARDED_STATE).build())).isEmpty();
  }

  @Property(tries = 20)
  void aHealthyDumpHasNoFinding(
      @ForAll("shapes") TrialSettings.Builder shape, @ForAll HashKind hash) throws Exception {
    assertThat(findings(shape.layout(Layout.PRESHARDED).engine(Engine.SGLANG).hash(hash).build()))
        .isEmpty();
  }

  @Property(tries = 20)
  void aHealthyModelHasNoFinding(@ForAll("shapes") TrialSettings.Builder shape) throws Exception {
    assertThat(findings(shape.layout(Layout.HUGGINGFACE).ep(1).tp(1).pp(1).build())).isEmpty();
  }

  @Property(tries = 40)
  void aHealthySaveOfVllmHasNoFinding(@ForAll("shapes") TrialSettings.Builder shape)
      throws Exception {
    TrialSettings settings =
        shape.layout(Layout.SHARDED_STATE).engine(Engine.VLLM).fp8(false).build();
    assertThat(findings(settings, NoFalseAlarmTest::withoutNoteOfTheSaver))
        .extracting(Finding::code)
        .containsOnly("servekit-missing");
  }

  /** Where servekit did not drive the engine, only servekit itself misses its note. */
  private static void withoutNoteOfTheSaver(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve("servekit.json"));
  }

  @Property(generation = GenerationMode.EXHAUSTIVE)
  void aHealthyModelOfAnyKindHasNoFinding(@ForAll("models") Model model) throws Exception {
    TrialSettings settings =
        TrialSettings.builder()
            .layout(Layout.HUGGINGFACE)
            .fault(Fault.CLEAN)
            .bytes(1)
            .maxShardBytes(model.shards() == 1 ? Long.MAX_VALUE : 20_000)
            .layers(4)
            .tiedEmbeddings(model.tied())
            .build();
    assertThat(findings(settings, model::finish)).as(model.name()).isEmpty();
  }

  /**
   * A kind of Hugging Face model.
   *
   * @param config its config.json
   * @param shards 1, or several
   * @param tied whether it has no head of its own
   * @param beside a file that lies beside it, as {@code NAME=CONTENT}; none where empty
   */
  private record Model(String name, String config, int shards, boolean tied, String beside) {
    void finish(Path directory) throws IOException {
      Files.writeString(directory.resolve("config.json"), config);
      if (!beside.isEmpty()) {
        int end = beside.indexOf('=');
        Path file = directory.resolve(beside.substring(0, end));
        Files.createDirectories(file.getParent());
        Files.writeString(file, beside.substring(end + 1));
      }
    }
  }

  private static Model causal(String name, String quantization) {
    return new Model(
        name,
        """
        {"architectures": ["LlamaForCausalLM"], "tie_word_embeddings": false,
         "num_hidden_layers": 4, "quantization_config": %s}
        """
            .formatted(quantization),
        2,
        false,
        "");
  }

  @Provide
  Arbitrary<Model> models() {
    return Arbitraries.of(kinds());
  }

  private static List<Model> kinds() {
    String causal = "{\"architectures\": [\"LlamaForCausalLM\"], \"tie_word_embeddings\": false}";
    return List.of(
        new Model("single file", causal, 1, false, ""),
        new Model("several files", causal, 2, false, ""),
        new Model(
            "tied head",
            "{\"architectures\": [\"LlamaForCausalLM\"], \"tie_word_embeddings\": true}",
            2,
            true,
            ""),
        new Model(
            "nothing said of the head", "{\"architectures\": [\"XForCausalLM\"]}", 1, true, ""),
        new Model(
            "nested config of a multimodal model",
            """
            {"architectures": ["XForConditionalGeneration"],
             "text_config": {"tie_word_embeddings": true}, "vision_config": {"depth": 2}}
            """,
            2,
            true,
            ""),
        new Model("embedding model", "{\"architectures\": [\"BertModel\"]}", 1, true, ""),
        new Model(
            "classifier",
            "{\"architectures\": [\"LlamaForSequenceClassification\"], \"tie_word_embeddings\":"
                + " false}",
            2,
            true,
            ""),
        causal(
            "AWQ",
            "{\"quant_method\": \"awq\", \"bits\": 4, \"modules_to_not_convert\": [\"lm_head\"]}"),
        causal(
            "GPTQ",
            "{\"quant_method\": \"gptq\", \"bits\": 4, \"dynamic\": {\"-:.*lm_head.*\": {}}}"),
        causal(
            "compressed-tensors",
            """
            {"quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*self_attn.*"],
             "config_groups": {"group_0": {"targets": ["Linear"]}}}
            """),
        causal(
            "FP8 in blocks",
            """
            {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]}
            """),
        causal("bitsandbytes", "{\"quant_method\": \"bitsandbytes\", \"load_in_4bit\": true}"),
        new Model(
            "ModelOpt",
            causal,
            2,
            false,
            "hf_quant_config.json={\"quantization\": {\"quant_algo\": \"FP8\", \"exclude_modules\":"
                + " [\"lm_head\"]}}"),
        new Model("an optimizer's state beside", causal, 2, false, "optimizer.pt=x"),
        new Model("a tokenizer beside", causal, 2, false, "tokenizer/vocab.json={}"),
        new Model("the original's parameters below", causal, 1, false, "original/params.json={}"),
        new Model("a page on it", causal, 2, false, "README.md=# model"));
  }

  /** What is changed of a generated checkpoint before it is looked at. */
  @FunctionalInterface
  private interface Finish {
    void of(Path directory) throws IOException;
  }

  private static List<Finding> findings(TrialSettings settings)
      throws IOException, CheckpointException {
    return findings(settings, directory -> {});
  }

  private static List<Finding> findings(TrialSettings settings, Finish finish)
      throws IOException, CheckpointException {
    Path directory = Files.createTempDirectory("healthy");
    LocalStore store = new LocalStore();
    try {
      Location location = Location.ofFile(directory.toString());
      CheckpointGenerator.generate(settings, store, location);
      finish.of(directory);
      return findings(new StoreCheckpointFiles(store, location));
    } finally {
      store.deleteTree(directory.toString());
    }
  }

  private static List<Finding> findings(CheckpointFiles files)
      throws IOException, CheckpointException {
    Checkpoint checkpoint = Discovery.discover(files, DiscoveryOptions.defaults());
    List<Finding> findings = new ArrayList<>(checkpoint.findings());
    Map<String, ScannedShard> scanned = new HashMap<>();
    for (Shard shard : checkpoint.shards()) {
      scanned.put(shard.name(), HeaderScan.read(files, UnitId.NONE, shard, UnknownDtypes.REFUSE));
    }
    List<UnitSummary> units = new ArrayList<>();
    int world = 0;
    for (LoadUnit unit : checkpoint.units()) {
      units.add(UnitSummary.of(unit.id(), tensors(checkpoint, unit, world++, scanned)));
    }
    findings.addAll(HeaderFindings.of(checkpoint, units));
    for (UnitCheck check : checkpoint.checks()) {
      findings.addAll(
          check.check(
              List.copyOf(scanned.values()),
              (shard, offset, bytes) -> files.read(shard.name(), offset, bytes)));
    }
    checkpoint.layout().wrongTotal(units.get(0).bytes()).ifPresent(findings::add);
    return findings;
  }

  private static List<TensorEntry> tensors(
      Checkpoint checkpoint, LoadUnit unit, int world, Map<String, ScannedShard> scanned)
      throws CheckpointException {
    if (!(checkpoint.layout() instanceof PreshardedLayout dump)) {
      return unit.shards().stream()
          .flatMap(shard -> scanned.get(shard.name()).header().tensors().stream())
          .toList();
    }
    Map<String, Header> headers = new HashMap<>();
    scanned.forEach(
        (name, shard) -> headers.put(name.substring(name.indexOf('/') + 1), shard.header()));
    return PreshardedTensors.locate(dump.checksums().reads().get(world), headers).stream()
        .filter(located -> !located.read().extra())
        .map(located -> located.entry().withName(located.read().name()))
        .toList();
  }

  /** Without vLLM's FP8, which is known not to survive and gets a finding that is true. */
  @Provide
  Arbitrary<TrialSettings.Builder> shapes() {
    return Builders.withBuilder(
            () -> TrialSettings.builder().fault(Fault.CLEAN).bytes(1).maxShardBytes(20_000))
        .use(Arbitraries.of(1, 2, 3, 4, 8, 16))
        .in((settings, tp) -> settings.tp(tp).ep(tp % 2 == 0 ? 2 : 1))
        .use(Arbitraries.of(1, 2, 3, 4, 7, 16))
        .in((settings, pp) -> settings.pp(pp))
        .use(Arbitraries.integers().between(1, 20))
        .in((settings, layers) -> settings.layers(layers))
        .use(Arbitraries.of(true, false))
        .in((settings, fp8) -> settings.fp8(fp8).engine(fp8 ? Engine.SGLANG : Engine.VLLM))
        .use(Arbitraries.of(true, false))
        .in((settings, tied) -> settings.tiedEmbeddings(tied))
        .use(Arbitraries.of(true, false))
        .in((settings, hybrid) -> settings.hybrid(hybrid))
        .use(Arbitraries.of(NameStyle.class))
        .in((settings, style) -> settings.linearAttention(style))
        .build();
  }
}
