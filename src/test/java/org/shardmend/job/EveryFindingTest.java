package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.shardmend.job.Damage.copy;
import static org.shardmend.job.Damage.file;
import static org.shardmend.job.Damage.headers;
import static org.shardmend.job.Damage.json;
import static org.shardmend.job.Damage.linkInPlaceOf;
import static org.shardmend.job.Damage.move;
import static org.shardmend.job.Damage.none;
import static org.shardmend.job.Damage.padded;
import static org.shardmend.job.Damage.without;
import static org.shardmend.job.Damage.zeroed;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.expected.ExpectedUnit;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.plan.HealthyUnits;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.PartialExpectation;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/**
 * For each finding a generated checkpoint that has exactly it, and one that nearly has it and does
 * not get it.
 */
class EveryFindingTest {
  private static final String FIRST = "model-pp-0-rank-0-part-0.safetensors";
  private static final String SECOND = "model-pp-0-rank-0-part-1.safetensors";
  private static final String INDEX = "model.safetensors.index.json";
  private static final String HF_FIRST = "model-00001-of-";
  private static final String ZERO_SIGNATURE = "TP-2-sig-0000000000000000";
  private static final String ODD_RULE =
      """
      {"name": "odd", "about": "For a test.", "layouts": ["huggingface"], "default": false,
       "rules": [{"from": "(?<x>.*)\\\\.kv_b_proj\\\\.(?<p>.+)", "to": "${x}.%s.${p}",
                  "examples": [["a.kv_b_proj.weight", "a.%s.weight"]]}]}
      """;

  private static final String POINTER =
      "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 4976698672\n"
          .formatted("0".repeat(64));

  @TempDir private Path scratch;

  /**
   * Two checkpoints.
   *
   * @param exact has the finding and no other
   * @param near has nothing, though it comes close
   */
  private record Pair(Made exact, Made near) {}

  /**
   * A generated checkpoint and what is done to it, and to the original model beside it, or the
   * healthy checkpoint that it is compared with.
   */
  private record Made(
      TrialSettings.Builder settings,
      Damage damage,
      Optional<Damage> model,
      String renamedTo,
      Optional<TrialSettings.Builder> twin,
      String directory,
      Optional<UnaryOperator<ExpectedState>> expected,
      String together) {
    Made(TrialSettings.Builder settings, Damage damage) {
      this(settings, damage, Optional.empty(), "");
    }

    Made(TrialSettings.Builder settings, Damage damage, Optional<Damage> model, String renamedTo) {
      this(settings, damage, model, renamedTo, Optional.empty(), "", Optional.empty(), "");
    }

    /** Verified like a generated checkpoint. */
    Made like(TrialSettings.Builder other) {
      return new Made(
          settings, damage, model, renamedTo, Optional.of(other), directory, expected, together);
    }

    /** In a directory whose name holds this. */
    Made in(String name) {
      return new Made(settings, damage, model, renamedTo, twin, name, expected, together);
    }

    /** Verified by what it held before the damage, changed so; it is not planned. */
    Made expecting(UnaryOperator<ExpectedState> change) {
      return new Made(
          settings, damage, model, renamedTo, twin, directory, Optional.of(change), together);
    }

    /** It cannot have its finding without this one. */
    Made togetherWith(String code) {
      return new Made(settings, damage, model, renamedTo, twin, directory, expected, code);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointThatHasItGetsIt(FindingCode code) throws Exception {
    Made exact = pair(code).exact();
    Set<String> codes = codes(exact, "exact");

    assertThat(codes).contains(code.code());
    codes.remove(exact.together());
    assertThat(codes).containsExactly(code.code());
  }

  @ParameterizedTest
  @EnumSource
  void aCheckpointThatNearlyHasItDoesNot(FindingCode code) throws Exception {
    assertThat(codes(pair(code).near(), "near")).isEmpty();
  }

  /** Of a new code this does not compile before there are both. */
  private static Pair pair(FindingCode code) throws IOException {
    return switch (code) {
      case MISSING_RANK ->
          both(
              staged(),
              without("model-pp-1-rank-1-"),
              without("model-pp-0-rank-1-")
                  .and(without("model-pp-1-rank-1-"))
                  .and(servekit("tp_size", 1)));
      case MISSING_PART ->
          new Pair(
              new Made(staged(), without("model-pp-0-rank-0-part-1.")),
              new Made(staged().maxShardBytes(1000), none()));
      case RANK_OUTSIDE -> both(staged(), servekit("tp_size", 1), servekit("dp_size", 2));
      case STRAY_SHARD ->
          both(
              staged(),
              copy(FIRST, "model-pp-0-rank-0-part-0 (copy).safetensors"),
              copy(FIRST, FIRST + ".bak"));
      case MIXED_PATTERNS ->
          both(
              staged(),
              copy(FIRST, "model-rank-0-part-0.safetensors"),
              copy(FIRST, "old/model-rank-0-part-0.safetensors"));
      case PIPELINE_LOST ->
          new Pair(
              new Made(staged().pp(1), servekit("pp_size", 2)),
              new Made(staged().pp(1), EveryFindingTest::nameTheOneStage));
      case UNFINISHED_SAVE ->
          both(
              staged(),
              file(".sharded-state-done-pp0-tp0", ""),
              file(".sharded-state-done-pp0", ""));
      case NOT_A_REGULAR_FILE ->
          both(
              huggingFace(),
              checkpoint -> {
                Path shard = shard(checkpoint);
                Files.delete(shard);
                Files.createDirectory(shard);
              },
              checkpoint -> linkInPlaceOf(shard(checkpoint).getFileName() + "").to(checkpoint));
      case MALFORMED_SHARD -> both(staged(), EveryFindingTest::cutOff, padded(FIRST, 64));
      case LFS_POINTER ->
          both(
              huggingFace(),
              checkpoint -> Files.writeString(shard(checkpoint), POINTER),
              file("tokenizer.model", POINTER));
      case MALFORMED_SIDE_FILE ->
          both(
              huggingFace(),
              file(INDEX, "{\"weight_map\": [}"),
              json(INDEX, index -> index.withObject("/metadata").remove("total_size")));
      case UNSAFE_NAME ->
          both(
              huggingFace(),
              json(INDEX, index -> map(index).put("x", "../x.safetensors")),
              renamedShard("a..b.safetensors"));
      case MISSING_SHARD ->
          both(huggingFace(), without(HF_FIRST), renamedShard("another.safetensors"));
      case INDEX_OF_ANOTHER_SAVE ->
          both(
              huggingFace(),
              file(
                  INDEX,
                  "{\"metadata\": {}, \"weight_map\": {\"a\":"
                      + " \"model-00001-of-00099.safetensors\"}}"),
              file(
                  "pytorch_model.bin.index.json",
                  "{\"weight_map\": {\"a\": \"model.safetensors.index.json\"}}"));
      case UNFINISHED_DUMP -> both(dump(), inDump(without("READY")), inDump(file("READY", "")));
      case INCONSISTENT_DUMP ->
          both(
              dump(),
              inDump(json("checksum.json", EveryFindingTest::letAnotherRankWrite)),
              inDump(json("checksum.json", document -> reverse(document.withArray("files")))));
      case RANK_CHECKSUM ->
          both(
              dump(),
              inDump(
                  json(
                      "checksum.json",
                      document -> document.withObject("/rank_checksums").put("1", "0".repeat(16)))),
              inDump(
                  json(
                      "checksum.json",
                      document -> reverse(document.withObject("/rank_to_reads").withArray("1")))));
      case UNKNOWN_HASH ->
          new Pair(
              new Made(dump(), inDump(EveryFindingTest::lengthenKeys)),
              new Made(dump().hash(HashKind.SHA1), none()));
      case AMBIGUOUS_DUMPS ->
          both(dump(), another(ZERO_SIGNATURE), another("old/" + ZERO_SIGNATURE));
      case UNWRITABLE_NAMES ->
          new Pair(
              new Made(huggingFace(), none(), Optional.empty(), "\\ud83d"),
              new Made(huggingFace(), none(), Optional.empty(), "\\ud83d\\ude00"));
      case SERVEKIT_MISSING ->
          new Pair(new Made(staged(), without("servekit.json")), new Made(huggingFace(), none()));
      case SERVEKIT_MALFORMED ->
          both(staged(), servekit("more", 1), json("servekit.json", EveryFindingTest::reorder));
      case SERVEKIT_CONTRADICTION ->
          both(
              staged(),
              json("servekit.json", document -> document.put("dtype", "float16")),
              json("servekit.json", document -> document.put("dtype", "auto")));
      case CONFIG_MALFORMED -> both(staged(), file("config.json", "{"), file("config.json", "{}"));
      case SAVE_MARKERS -> both(staged(), markers(""), markers(".txt"));
      case SYMBOLIC_LINKS ->
          both(
              staged(),
              linkInPlaceOf("tokenizer_config.json"),
              linkInPlaceOf("servekit-caches/torch_compile/cache_key"));
      case SPECIAL_FILE -> both(staged(), EveryFindingTest::makePipe, file("pipe", ""));
      case UNREAD_WEIGHTS ->
          both(
              staged(),
              copy(FIRST, "model-pp-0-rank-01-part-0.safetensors"),
              copy(FIRST, "old/model-pp-0-rank-01-part-0.safetensors"));
      case STALE_INDEX ->
          new Pair(
              new Made(
                  staged(),
                  file(INDEX, "{\"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}}")),
              new Made(huggingFace(), copy(INDEX, "consolidated.safetensors.index.json")));
      case INDEX_MISSING ->
          new Pair(
              new Made(huggingFace(), without(INDEX)),
              new Made(huggingFace().maxShardBytes(Long.MAX_VALUE), none()));
      case SECOND_MODEL ->
          both(
              huggingFace(),
              checkpoint -> Files.copy(shard(checkpoint), checkpoint.resolve("model.safetensors")),
              checkpoint ->
                  Files.copy(shard(checkpoint), checkpoint.resolve("consolidated.safetensors")));
      case SHARD_NOT_IN_INDEX ->
          both(
              huggingFace(),
              checkpoint -> Files.copy(shard(checkpoint), checkpoint.resolve("x.safetensors")),
              checkpoint -> {
                Files.createDirectory(checkpoint.resolve("original"));
                Files.copy(shard(checkpoint), checkpoint.resolve("original/x.safetensors"));
              });
      case INDEX_MISPLACED ->
          both(
              huggingFace(),
              json(INDEX, EveryFindingTest::forgetOneOfSeveral),
              json(INDEX, index -> reorder(map(index))));
      case INDEX_TENSOR_MISSING ->
          both(
              huggingFace(),
              json(INDEX, index -> map(index).set("x", map(index).elements().next())),
              json(INDEX, index -> index.withObject("/metadata").put("x", "y")));
      case INDEX_METADATA ->
          both(
              huggingFace(),
              json(INDEX, index -> index.remove("metadata")),
              json(INDEX, index -> index.withObject("/metadata").removeAll()));
      case METADATA_FORMAT ->
          both(
              huggingFace(),
              headers(HF_FIRST, text -> text.replace("\"format\":\"pt\"", "\"format\":\"xx\"")),
              headers(HF_FIRST, text -> text.replace("\"format\":\"pt\"", "\"format\":\"tf\"")));
      case HEAD_MISSING ->
          both(
              huggingFace(),
              untied()
                  .and(headers("model-", text -> text.replace("lm_head.", "lm_tail.")))
                  .and(renamedInIndex("lm_head.", "lm_tail.")),
              untied());
      case INDEX_TOTAL_SIZE ->
          both(
              huggingFace(),
              json(INDEX, index -> index.withObject("/metadata").put("total_size", 5)),
              json(
                  INDEX,
                  index ->
                      index
                          .withObject("/metadata")
                          .put("total_size", index.at("/metadata/total_size").asDouble())));
      case CHECKSUM_LIST ->
          new Pair(
              new Made(staged().fault(Fault.ALIAS_ONLY), file("SHA256SUMS", "0  " + FIRST + "\n")),
              new Made(staged(), file("SHA256SUMS", "0  " + FIRST + "\n")));
      case OTHER_DUMP_UNFINISHED ->
          both(
              dump(),
              file("TP-4-sig-0000000000000000/checksum.json", "{}"),
              file("TP-old/checksum.json", "{}"));
      case DUMP_SIGNATURE ->
          both(
              dump(),
              checkpoint -> Files.move(dumpOf(checkpoint), checkpoint.resolve(ZERO_SIGNATURE)),
              inDump(
                  json(
                      "checksum.json",
                      document -> reorder((ObjectNode) document.get("shard_config")))));
      case SHARD_CONFIG_MISSING ->
          new Pair(
              new Made(dump(), inDump(withoutShardConfig())),
              new Made(dump().hash(HashKind.SHA1), inDump(withoutShardConfig())));
      case WILDCARD_IN_PATH ->
          new Pair(new Made(staged(), none()).in("[v1]"), new Made(staged(), none()).in("{v1}"));
      case WRAPPER_NAMES ->
          both(
              staged(),
              headers("model-", text -> text.replace(".kv_b_proj.", "._orig_mod.")),
              headers("model-", text -> text.replace(".kv_b_proj.", ".aorig_mod.")));
      case NO_EXPECTATION ->
          new Pair(
              new Made(staged(), none()).expecting(EveryFindingTest::withoutTheLastRank),
              new Made(staged(), none()).expecting(expected -> expected));
      case RANK_NOT_READ ->
          new Pair(
              new Made(staged(), copy(FIRST, "model-pp-0-rank-2-part-0.safetensors"))
                  .expecting(expected -> expected)
                  .togetherWith("rank-outside"),
              new Made(staged(), none()).expecting(expected -> expected));
      case SKIPPED_NAMES ->
          new Pair(
              new Made(dump(), none()).expecting(EveryFindingTest::withoutOneName),
              new Made(dump(), none()).expecting(expected -> expected));
      case QUANTIZATION ->
          both(
              staged(),
              json("servekit.json", document -> document.put("quantization", "mxfp4")),
              json("servekit.json", document -> document.put("quantization", "mxfp8")));
      case KV_SCALES ->
          both(
              staged().fp8(true).engine(Engine.SGLANG),
              scalarsNamed("some_attn0.k_scale"),
              scalarsNamed("some_attn0.q_scale"));
      case CONFIG_NAMES_MODULES ->
          both(
              staged().fault(Fault.ALIAS_ONLY),
              ignoring("language_model.model.layers.0.self_attn.attn_mha.kv_b_proj"),
              ignoring("language_model.model.layers.0.self_attn.kv_b_proj"));
      case UNKNOWN_TO_SOURCE ->
          new Pair(
              new Made(huggingFace(), none(), Optional.of(none()), "odd"),
              new Made(huggingFace().fault(Fault.ALIAS_ONLY), none(), Optional.of(none()), ""));
      case SOURCE_BYTES ->
          new Pair(
              new Made(huggingFace(), none(), Optional.of(total(2)), ""),
              new Made(huggingFace(), none(), Optional.of(total(1.05)), ""));
      case ZERO_FILLED -> both(staged(), zeroed(".o_proj.weight"), zeroed("layernorm.weight"));
      case OTHER_BYTES -> new Pair(comparedWith(staged().seed(7)), comparedWith(staged()));
      case SIBLING_NAMES -> siblings(text -> text.replace(".o_proj.", ".p_proj."));
      case SIBLING_DTYPES ->
          siblings(text -> text.replaceFirst("\"dtype\":\"BF16\"", "\"dtype\": \"F16\""));
      case SIBLING_SHAPES ->
          siblings(
              text -> text.replaceFirst("\"shape\":\\[([0-9]+),([0-9]+)\\]", "\"shape\":[$2,$1]"));
      case STAGES_SHARE_LAYERS ->
          new Pair(
              new Made(
                  staged().pp(3).layers(3),
                  without("config.json").and(renumbered("model-pp-2-", 2, 1))),
              new Made(staged().pp(3).layers(2), none()));
      case STAGES_SKIP_LAYERS ->
          new Pair(
              new Made(
                  staged().layers(2), without("config.json").and(renumbered("model-pp-1-", 1, 2))),
              new Made(staged().pp(4).layers(2), none()));
      case STAGES_OUT_OF_ORDER ->
          both(staged(), exchanged("model-pp-0-", "model-pp-1-"), exchangedRanks());
      case LAYER_GAP ->
          new Pair(
              new Made(staged().pp(1).layers(3), renumbered("model-rank-", 1, 3)),
              new Made(
                  staged().pp(1).layers(3),
                  json(
                      "config.json",
                      config -> config.withObject("/text_config").put("num_hidden_layers", 2))));
    };
  }

  private static Pair both(TrialSettings.Builder settings, Damage exact, Damage near) {
    return new Pair(new Made(settings, exact), new Made(settings, near));
  }

  private static Made comparedWith(TrialSettings.Builder twin) {
    return new Made(staged(), none()).like(twin);
  }

  private static Pair siblings(UnaryOperator<String> change) {
    return both(staged(), headers("model-pp-0-rank-1-", change), headers("model-pp-0-", change));
  }

  private static TrialSettings.Builder staged() {
    return TrialSettings.builder()
        .tp(2)
        .pp(2)
        .layers(4)
        .hybrid(false)
        .bytes(60_000)
        .maxShardBytes(5_000)
        .fault(Fault.CLEAN);
  }

  private static TrialSettings.Builder dump() {
    return staged().pp(1).layout(Layout.PRESHARDED);
  }

  private static TrialSettings.Builder huggingFace() {
    return staged().tp(1).pp(1).layout(Layout.HUGGINGFACE);
  }

  private Set<String> codes(Made made, String name) throws Exception {
    Path checkpoint = generate(made.settings(), scratch.resolve(name + made.directory()));
    LayoutActions actions = LayoutActions.with(rules(made));
    Set<String> codes = new TreeSet<>();
    if (made.expected().isPresent()) {
      HealthyUnits healthy =
          HealthyUnits.of(
              actions.job(), actions.of(checkpoint), LayoutActions.location(checkpoint));
      List<ExpectedUnit> units = new ArrayList<>();
      for (UnitId ranks : healthy.ranks()) {
        units.add(new ExpectedUnit(ranks, healthy.of(ranks).read(bytes -> {}).orElseThrow()));
      }
      ExpectedState before = ExpectedState.of(units);
      made.damage().to(checkpoint);
      new VerifyAction(
              actions.job(),
              new VerifyRequest(actions.of(checkpoint), VerifyRequest.Depth.HEADERS)
                  .expected(made.expected().get().apply(before))
                  .partialExpectation(PartialExpectation.ACCEPTED))
          .execute()
          .findings()
          .forEach(finding -> codes.add(finding.code()));
      return codes;
    }
    made.damage().to(checkpoint);
    try {
      PlanAction plan = new PlanAction(actions.job(), actions.of(checkpoint));
      if (made.model().isPresent()) {
        Path model = generate(huggingFace(), scratch.resolve("model"));
        made.model().get().to(model);
        plan.sourceModel(LayoutActions.location(model));
      }
      plan.execute().findings().forEach(finding -> codes.add(finding.code()));
      VerifyRequest verify = new VerifyRequest(actions.of(checkpoint), VerifyRequest.Depth.FULL);
      if (made.twin().isPresent()) {
        verify.like(LayoutActions.location(generate(made.twin().get(), scratch.resolve("twin"))));
      }
      new VerifyAction(actions.job(), verify)
          .execute().findings().stream().map(Finding::code).forEach(codes::add);
    } catch (JobException e) {
      codes.add(e.code());
      e.problems().forEach(problem -> codes.add(problem.code()));
    }
    return codes;
  }

  private String[] rules(Made made) throws IOException {
    if (made.renamedTo().isEmpty()) {
      return new String[0];
    }
    Path rules = scratch.resolve("rules.json");
    Files.writeString(rules, ODD_RULE.formatted(made.renamedTo(), made.renamedTo()));
    return new String[] {rules.toString()};
  }

  private static Path generate(TrialSettings.Builder settings, Path target) throws JobException {
    new GenerateAction(settings.build(), LayoutActions.location(target), "", Progress.SILENT)
        .execute();
    return target;
  }

  private static Damage servekit(String key, int value) {
    return json("servekit.json", document -> document.put(key, value));
  }

  private static Damage ignoring(String module) {
    return json(
        "config.json",
        config -> config.putObject("quantization_config").putArray("ignored_layers").add(module));
  }

  /** Gives scalars of the model another name, which has as many letters. */
  private static Damage scalarsNamed(String name) {
    return headers("model-pp-", text -> text.replace("o_proj.input_scale", name));
  }

  private static Damage untied() {
    return json("config.json", config -> config.put("tie_word_embeddings", false));
  }

  private static Damage renamedInIndex(String from, String to) {
    return checkpoint -> {
      Path index = checkpoint.resolve(INDEX);
      Files.writeString(index, Files.readString(index).replace(from, to));
    };
  }

  private static Damage markers(String ending) {
    return checkpoint -> {
      for (String rank : new String[] {"pp0-tp0", "pp0-tp1", "pp1-tp0", "pp1-tp1"}) {
        Files.createFile(checkpoint.resolve(".sharded-state-done-" + rank + ending));
      }
    };
  }

  private static Damage total(double factor) {
    return json(
        INDEX,
        index ->
            index
                .withObject("/metadata")
                .put("total_size", (long) (factor * index.at("/metadata/total_size").asLong())));
  }

  private static Damage renumbered(String prefix, int from, int to) {
    return headers(prefix, text -> text.replace(".layers." + from + ".", ".layers." + to + "."));
  }

  private static Damage exchanged(String one, String other) {
    return checkpoint -> {
      for (Path file : list(checkpoint, one)) {
        Files.move(file, checkpoint.resolve("aside-" + file.getFileName()));
      }
      for (Path file : list(checkpoint, other)) {
        Files.move(file, checkpoint.resolve(file.getFileName().toString().replace(other, one)));
      }
      for (Path file : list(checkpoint, "aside-")) {
        String name = file.getFileName().toString().substring("aside-".length());
        Files.move(file, checkpoint.resolve(name.replace(one, other)));
      }
    };
  }

  private static Damage exchangedRanks() {
    return exchanged("model-pp-0-rank-0-", "model-pp-0-rank-1-");
  }

  private static void nameTheOneStage(Path checkpoint) throws IOException {
    for (Path file : list(checkpoint, "model-rank-")) {
      String name = file.getFileName().toString().replace("model-rank-", "model-pp-0-rank-");
      Files.move(file, checkpoint.resolve(name));
    }
  }

  private static void cutOff(Path checkpoint) throws IOException {
    byte[] bytes = Files.readAllBytes(checkpoint.resolve(SECOND));
    Files.write(checkpoint.resolve(SECOND), Arrays.copyOf(bytes, bytes.length - 1));
  }

  private static void makePipe(Path checkpoint) throws IOException {
    try {
      int exit =
          new ProcessBuilder("mkfifo", checkpoint.resolve("pipe").toString()).start().waitFor();
      assertThat(exit).isZero();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  private static Damage renamedShard(String name) {
    return checkpoint -> {
      String before = shard(checkpoint).getFileName().toString();
      move(before, name).to(checkpoint);
      json(
              INDEX,
              index -> {
                for (Map.Entry<String, ?> entry : map(index).properties()) {
                  if (map(index).get(entry.getKey()).asText().equals(before)) {
                    map(index).put(entry.getKey(), name);
                  }
                }
              })
          .to(checkpoint);
    };
  }

  private static ObjectNode map(ObjectNode index) {
    return (ObjectNode) index.get("weight_map");
  }

  /** Takes a tensor out of the index whose file holds others, too. */
  private static void forgetOneOfSeveral(ObjectNode index) {
    List<String> files = map(index).properties().stream().map(e -> e.getValue().asText()).toList();
    String tensor =
        map(index).properties().stream()
            .filter(entry -> Collections.frequency(files, entry.getValue().asText()) > 1)
            .findFirst()
            .orElseThrow()
            .getKey();
    map(index).remove(tensor);
  }

  private static void letAnotherRankWrite(ObjectNode checksums) {
    ((ObjectNode) checksums.get("files").get(0)).put("writer_rank", 99);
  }

  private static void reorder(ObjectNode node) {
    String first = node.fieldNames().next();
    node.set(first, node.remove(first));
  }

  private static void reverse(ArrayNode list) {
    for (int i = list.size() - 1; i >= 0; i--) {
      list.add(list.remove(i));
    }
  }

  private static void lengthenKeys(Path dump) throws IOException {
    Path file = dump.resolve("checksum.json");
    String text = Files.readString(file);
    Files.writeString(
        file,
        text.replaceAll("(\"stored_key\": \"[0-9a-f]+)\"", "$100\""),
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  private static ExpectedState withoutTheLastRank(ExpectedState expected) {
    return ExpectedState.of(expected.units().subList(0, expected.units().size() - 1));
  }

  private static ExpectedState withoutOneName(ExpectedState expected) {
    List<ExpectedUnit> units = new ArrayList<>(expected.units());
    Map<String, ExpectedTensor> tensors = new TreeMap<>(units.get(0).tensors());
    tensors.remove(tensors.keySet().iterator().next());
    units.set(0, new ExpectedUnit(units.get(0).ranks(), tensors));
    return ExpectedState.of(units);
  }

  private static Damage withoutShardConfig() {
    return json("checksum.json", document -> document.remove("shard_config"));
  }

  private static Damage inDump(Damage damage) {
    return checkpoint -> damage.to(dumpOf(checkpoint));
  }

  private static Damage another(String name) {
    return checkpoint -> copy(dumpOf(checkpoint).getFileName() + "", name).to(checkpoint);
  }

  private static Path dumpOf(Path root) throws IOException {
    return list(root, "TP-").get(0);
  }

  private static Path shard(Path checkpoint) throws IOException {
    return list(checkpoint, HF_FIRST).get(0);
  }

  private static List<Path> list(Path directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(f -> f.getFileName().toString().startsWith(prefix)).sorted().toList();
    }
  }
}
