package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.safetensors.Dtype;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreTraits;
import org.shardmend.trial.SavedCheckpoint.Found;
import org.shardmend.trial.SavedCheckpoint.ShardFile;

class CheckpointGeneratorTest {
  private static final int TP = 2;
  private static final int PP = 2;
  private static final int LAYERS = 16;
  private static final long BYTES = 700_000;
  private static final String ALIAS = ".attn_mha.kv_b_proj.";
  private static final String CANONICAL = ".kv_b_proj.";

  @TempDir private Path directory;

  private static TrialSettings.Builder settings() {
    return TrialSettings.builder().tp(TP).pp(PP).layers(LAYERS).bytes(BYTES).maxShardBytes(60_000);
  }

  private Trial generate(TrialSettings.Builder settings) throws IOException {
    return generate(settings, directory.resolve("made"));
  }

  private static Trial generate(TrialSettings.Builder settings, Path target) throws IOException {
    return CheckpointGenerator.generate(
        settings.build(), new LocalStore(), Location.ofFile(target.toString()));
  }

  private static SavedCheckpoint read(Trial trial) {
    return SavedCheckpoint.read(Path.of(trial.checkpoint().path()));
  }

  private static Map<String, Found> unit(SavedCheckpoint saved, int pp, int tp) {
    return SavedCheckpoint.tensorsOf(saved.partsOf(pp, tp));
  }

  private static Map<String, ExpectedTensor> expected(Trial trial, int pp, int tp) {
    return trial.expected().forUnit(new UnitId(pp, tp)).orElseThrow();
  }

  private static Map<String, ExpectedTensor> described(Map<String, Found> tensors) {
    Map<String, ExpectedTensor> described = new TreeMap<>();
    tensors.forEach((name, found) -> described.put(name, describe(found.tensor())));
    return described;
  }

  private static ExpectedTensor describe(TensorEntry tensor) {
    return ExpectedTensor.of(tensor.dtype(), tensor.shape());
  }

  private static Set<String> withAlias(Map<String, Found> tensors) {
    return tensors.keySet().stream()
        .filter(name -> name.contains(ALIAS))
        .collect(Collectors.toSet());
  }

  private static String canonical(String alias) {
    return alias.replace(ALIAS, CANONICAL);
  }

  /** Every unit of a checkpoint with {@link #TP} and {@link #PP}. */
  private static List<Map<String, Found>> units(SavedCheckpoint saved) {
    List<Map<String, Found>> units = new ArrayList<>();
    for (int pp = 0; pp < PP; pp++) {
      for (int tp = 0; tp < TP; tp++) {
        units.add(unit(saved, pp, tp));
      }
    }
    return units;
  }

  @ParameterizedTest
  @EnumSource
  void whateverTheFaultTheCanonicalNamesAreTheExpectedOnes(Fault fault) throws IOException {
    Trial trial = generate(settings().fault(fault).fp8(true));
    SavedCheckpoint saved = read(trial);
    for (int pp = 0; pp < PP; pp++) {
      for (int tp = 0; tp < TP; tp++) {
        Map<String, ExpectedTensor> repaired = new TreeMap<>();
        described(unit(saved, pp, tp))
            .forEach((name, tensor) -> repaired.put(canonical(name), tensor));
        assertThat(repaired).isEqualTo(expected(trial, pp, tp));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTotalsAreThoseOfTheFiles(Layout layout) throws IOException {
    TrialSettings.Builder settings = settings().layout(layout);
    Trial trial = generate(layout == Layout.HUGGINGFACE ? settings.tp(1).pp(1) : settings);
    SavedCheckpoint saved = read(trial);
    assertThat(trial.shards()).isEqualTo(saved.files().size());
    assertThat(trial.tensors())
        .isEqualTo(
            saved.files().values().stream().mapToInt(f -> f.header().tensors().size()).sum());
    assertThat(trial.dataBytes())
        .isEqualTo(saved.files().values().stream().mapToLong(f -> f.header().dataBytes()).sum())
        .isBetween(BYTES * 95 / 100, BYTES * 105 / 100);
    assertThat(trial.shardBytes())
        .isEqualTo(saved.files().values().stream().mapToLong(f -> f.header().fileBytes()).sum());
  }

  @Test
  void cleanIsWhatALoaderExpects() throws IOException {
    Trial trial = generate(settings().fault(Fault.CLEAN));
    assertThat(described(unit(read(trial), 1, 0))).isEqualTo(expected(trial, 1, 0));
  }

  @Test
  void aliasOnlyHoldsTheAliasesAndNotTheirCanonicalNames() throws IOException {
    for (Map<String, Found> unit : units(read(generate(settings())))) {
      assertThat(withAlias(unit)).hasSize(LAYERS / 4 / PP);
      assertThat(withAlias(unit))
          .allSatisfy(alias -> assertThat(unit).doesNotContainKey(canonical(alias)));
    }
  }

  @Test
  void withFp8TheScalesOfTheModuleHaveAliasesToo() throws IOException {
    Map<String, Found> unit = unit(read(generate(settings().fp8(true))), 0, 0);
    String module = "language_model.model.layers.3.self_attn.attn_mha.kv_b_proj.";
    assertThat(unit)
        .containsKeys(module + "weight", module + "weight_scale_inv", module + "input_scale");
    assertThat(unit.get(module + "weight").tensor().dtype()).isEqualTo("F8_E4M3");
    assertThat(unit.get(module + "input_scale").tensor().shape().rank()).isZero();
  }

  @ParameterizedTest
  @EnumSource(names = {"BOTH_SAME", "OTHER_PART"})
  void bothNamesHoldTheSameBytes(Fault fault) throws IOException {
    for (Map<String, Found> unit : units(read(generate(settings().fault(fault))))) {
      assertThat(withAlias(unit)).isNotEmpty();
      for (String alias : withAlias(unit)) {
        assertThat(unit.get(alias).data()).isEqualTo(unit.get(canonical(alias)).data());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {60_000, Long.MAX_VALUE})
  void inOtherPartTheAliasLiesInAnotherFile(long maxShardBytes) throws IOException {
    TrialSettings.Builder settings =
        settings().fault(Fault.OTHER_PART).maxShardBytes(maxShardBytes);
    for (Map<String, Found> unit : units(read(generate(settings)))) {
      for (String alias : withAlias(unit)) {
        assertThat(unit.get(alias).fileName()).isNotEqualTo(unit.get(canonical(alias)).fileName());
      }
    }
  }

  @Test
  void bothDifferHasDifferentBytesInSomeLayersAndEqualOnesInOthers() throws IOException {
    for (Map<String, Found> unit : units(read(generate(settings().fault(Fault.BOTH_DIFFER))))) {
      Set<Boolean> equal = new HashSet<>();
      for (String alias : withAlias(unit)) {
        equal.add(Arrays.equals(unit.get(alias).data(), unit.get(canonical(alias)).data()));
      }
      assertThat(equal).containsExactlyInAnyOrder(true, false);
    }
  }

  @Test
  void mixedHasEveryRepairableKind() throws IOException {
    Set<String> kinds = new HashSet<>();
    for (Map<String, Found> unit : units(read(generate(settings().fault(Fault.MIXED))))) {
      Set<String> names = unit.keySet();
      names.stream()
          .filter(name -> name.contains(CANONICAL))
          .map(CheckpointGeneratorTest::canonical)
          .distinct()
          .forEach(
              name -> {
                String alias = name.replace(CANONICAL, ALIAS);
                boolean both = names.contains(name) && names.contains(alias);
                kinds.add(both ? "both" : names.contains(alias) ? "alias" : "canonical");
                if (both) {
                  assertThat(unit.get(alias).data()).isEqualTo(unit.get(name).data());
                }
              });
    }
    assertThat(kinds).containsExactlyInAnyOrder("both", "alias", "canonical");
  }

  @Test
  void filesAreLaidOutAsTheReferenceWriterDoes() throws IOException {
    for (ShardFile file : read(generate(settings().fp8(true))).files().values()) {
      Comparator<TensorEntry> order =
          Comparator.comparing(
                  (TensorEntry tensor) -> Dtype.of(tensor.dtype()).orElseThrow(),
                  Comparator.reverseOrder())
              .thenComparing(TensorEntry::name);
      assertThat(file.header().tensors()).isSortedAccordingTo(order);
      assertThat(file.header().inOffsetOrder()).isEqualTo(file.header().tensors());
      assertThat(file.header().dataBegin() % 8).isZero();
    }
  }

  @Test
  void partsAreNumberedFromZeroAndKeepTheLimit() throws IOException {
    SavedCheckpoint saved = read(generate(settings()));
    for (int pp = 0; pp < PP; pp++) {
      List<ShardFile> parts = saved.partsOf(pp, 0);
      assertThat(parts).hasSizeGreaterThan(1);
      for (int part = 0; part < parts.size(); part++) {
        assertThat(parts.get(part).path().getFileName())
            .hasToString("model-pp-%d-rank-0-part-%d.safetensors".formatted(pp, part));
        assertThat(parts.get(part).header().dataBytes()).isLessThanOrEqualTo(60_000);
      }
    }
  }

  @Test
  void withoutPipelineStagesNoNameSpeaksOfOne() throws IOException {
    Trial trial = generate(settings().pp(1).maxShardBytes(Long.MAX_VALUE));
    assertThat(read(trial).files().keySet())
        .containsExactly("model-rank-0-part-0.safetensors", "model-rank-1-part-0.safetensors");
  }

  @Test
  void aStageWithoutLayersHasAnEmptyPart() throws IOException {
    Trial trial = generate(settings().fault(Fault.CLEAN).layers(1).pp(3).tp(1));
    List<ShardFile> parts = read(trial).partsOf(0, 0);
    assertThat(parts).hasSize(1);
    assertThat(expected(trial, 1, 0)).isEmpty();
    assertThat(read(trial).partsOf(1, 0).get(0).header().tensors()).isEmpty();
  }

  @Test
  void stagesTileTheLayers() throws IOException {
    SavedCheckpoint saved = read(generate(settings().layers(11).pp(3).tp(1)));
    List<Integer> layers = new ArrayList<>();
    for (int pp = 0; pp < 3; pp++) {
      unit(saved, pp, 0).keySet().stream()
          .filter(name -> name.endsWith(".input_layernorm.weight"))
          .map(name -> Integer.valueOf(name.replaceAll("\\D", "")))
          .sorted()
          .forEach(layers::add);
    }
    assertThat(layers).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
  }

  @Test
  void onlyWhatIsReplicatedIsEqualOnTensorParallelSiblings() throws IOException {
    SavedCheckpoint saved = read(generate(settings()));
    Map<String, Found> other = unit(saved, 0, 1);
    unit(saved, 0, 0)
        .forEach(
            (name, found) -> {
              boolean replicated = name.contains("norm") || name.contains(".gate.");
              boolean mixed = name.contains("fused_qkv_a_proj");
              assertThat(Arrays.equals(found.data(), other.get(name).data()))
                  .as(name)
                  .isEqualTo(replicated || mixed);
            });
  }

  @Test
  void noTwoTensorsOfARankAreEqual() throws IOException {
    for (Map<String, Found> unit : units(read(generate(settings().fault(Fault.CLEAN))))) {
      assertThat(unit.values().stream().map(found -> Arrays.hashCode(found.data())).toList())
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void tiedEmbeddingsKeepTheSmallerNameOnOneRank() throws IOException {
    Map<String, Found> unit = unit(read(generate(settings().pp(1).tiedEmbeddings(true))), 0, 0);
    assertThat(unit)
        .containsKey("language_model.lm_head.weight")
        .doesNotContainKey("language_model.model.embed_tokens.weight");
  }

  @Test
  void tiedEmbeddingsAreOnBothEndsOfAPipeline() throws IOException {
    SavedCheckpoint saved = read(generate(settings().tiedEmbeddings(true)));
    assertThat(unit(saved, 0, 1).get("language_model.model.embed_tokens.weight").data())
        .isEqualTo(unit(saved, 1, 1).get("language_model.lm_head.weight").data());
  }

  @Test
  void linearAttentionHasShortOrLongNames() throws IOException {
    String layer = "language_model.model.layers.0.self_attn.";
    assertThat(unit(read(generate(settings(), directory.resolve("short"))), 0, 0))
        .containsKeys(layer + "A_log", layer + "dt_bias");
    TrialSettings.Builder settings = settings().linearAttention(NameStyle.LONG);
    assertThat(unit(read(generate(settings, directory.resolve("long"))), 0, 0))
        .containsKeys(layer + "attn.A_log", layer + "attn.dt_bias");
  }

  @Test
  void expertParallelRanksHoldAShareOfTheExpertsUnderTheSameNames() throws IOException {
    String experts = "language_model.model.layers.0.mlp.experts.w13_weight";
    TensorEntry whole =
        unit(read(generate(settings().tp(4), directory.resolve("tp"))), 0, 3).get(experts).tensor();
    TensorEntry share =
        unit(read(generate(settings().tp(4).ep(4), directory.resolve("ep"))), 0, 3)
            .get(experts)
            .tensor();
    assertThat(share.shape().dimension(0)).isLessThan(whole.shape().dimension(0));
  }

  @ParameterizedTest
  @EnumSource
  void equalSettingsGiveEqualBytes(Layout layout) throws IOException {
    TrialSettings.Builder settings =
        settings()
            .layout(layout)
            .fault(Fault.MIXED)
            .tp(layout == Layout.HUGGINGFACE ? 1 : TP)
            .pp(1);
    generate(settings, directory.resolve("a"));
    generate(settings, directory.resolve("b"));
    generate(settings.seed(1), directory.resolve("c"));
    assertThat(SavedCheckpoint.fingerprints(directory.resolve("a")))
        .isEqualTo(SavedCheckpoint.fingerprints(directory.resolve("b")))
        .isNotEqualTo(SavedCheckpoint.fingerprints(directory.resolve("c")));
  }

  @Test
  void sparseHasTheHeadersOfTheWholeAndTakesNoSpace() throws IOException {
    TrialSettings.Builder large = settings().bytes(200_000_000_000L).maxShardBytes(5L << 30);
    Trial trial = generate(large.sparse(true));
    assertThat(trial.dataBytes()).isBetween(190_000_000_000L, 210_000_000_000L);
    SavedCheckpoint saved = read(trial);
    saved.files().values().forEach(file -> assertThat(blocksOf(file.path())).isLessThan(64));
    assertThat(withAlias(unit(saved, 0, 0))).isNotEmpty();
  }

  /** Blocks of 512 bytes that the file takes, as {@code stat} says. */
  private static long blocksOf(Path file) {
    try {
      Process stat = new ProcessBuilder("stat", "--format=%b", file.toString()).start();
      return Long.parseLong(
          new String(stat.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void sparseHeadersAreThoseOfTheSameModelWithData() throws IOException {
    SavedCheckpoint full = read(generate(settings(), directory.resolve("full")));
    SavedCheckpoint sparse = read(generate(settings().sparse(true), directory.resolve("sparse")));
    assertThat(sparse.files().keySet()).isEqualTo(full.files().keySet());
    sparse
        .files()
        .forEach(
            (name, file) -> {
              assertThat(file.header()).isEqualTo(full.files().get(name).header());
              file.header()
                  .tensors()
                  .forEach(tensor -> assertThat(file.data(tensor)).containsOnly(0));
            });
  }

  @Test
  void sparseIsRefusedWhereFilesCannotHaveHoles() {
    Store objectStore =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("traits");
                  return StoreTraits.OBJECT_STORE;
                });
    assertThatThrownBy(
            () ->
                CheckpointGenerator.generate(
                    settings().sparse(true).build(),
                    objectStore,
                    new Location("s3a", "bucket", "/made")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("s3a://bucket/made", "mounted", "--sparse");
  }

  @Test
  void aDirectoryThatHoldsSomethingIsRefused() throws IOException {
    Path made = Files.createDirectory(directory.resolve("made"));
    Files.createFile(made.resolve("mine"));
    assertThatThrownBy(() -> generate(settings()))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContainingAll("made", "not empty");
    try (Stream<Path> entries = Files.list(made)) {
      assertThat(entries).hasSize(1);
    }
  }

  @Test
  void progressIsInBytesOfWeightFilesAndEndsWithAll() throws IOException {
    List<Long> told = new ArrayList<>();
    Trial trial =
        CheckpointGenerator.generate(
            settings().build(),
            new LocalStore(),
            Location.ofFile(directory.resolve("made").toString()),
            told::add);
    assertThat(told).isSorted().last().isEqualTo(trial.shardBytes());
  }
}
