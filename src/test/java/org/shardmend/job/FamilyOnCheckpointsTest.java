package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.Action;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.trial.Fault;
import org.shardmend.trial.SavedCheckpoint;
import org.shardmend.trial.SavedCheckpoint.ShardFile;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/**
 * Each built-in family on a generated checkpoint with the names that it is for: what it makes of it
 * is what the build that loads it expects.
 */
class FamilyOnCheckpointsTest {
  private static final String ENGINE = "language_model.model.";
  private static final String ENGINE_HEAD = "language_model.lm_head.";
  private static final String VISION = "visual.patch_embed.proj.weight";

  @TempDir private Path directory;

  /**
   * One row.
   *
   * @param saved what the saver calls a tensor that a fresh SGLang model calls so
   * @param loaded what the loader calls it
   */
  private record Row(String family, UnaryOperator<String> saved, UnaryOperator<String> loaded) {
    @Override
    public String toString() {
      return family;
    }
  }

  private static Row row(String family, UnaryOperator<String> saved, UnaryOperator<String> loaded) {
    return new Row(family, saved, loaded);
  }

  static Stream<Row> rows() {
    UnaryOperator<String> fresh = UnaryOperator.identity();
    UnaryOperator<String> alias = to(".self_attn.kv_b_proj.", ".self_attn.attn_mha.kv_b_proj.");
    String gate = ".mlp.gate.e_score_correction_bias";
    UnaryOperator<String> experts = to(gate, ".mlp.experts.e_score_correction_bias");
    UnaryOperator<String> legacy = to(gate, ".mlp.experts.correction_bias");
    UnaryOperator<String> longBias = to(".self_attn.dt_bias", ".self_attn.attn.dt_bias");
    UnaryOperator<String> longBoth =
        name -> longBias.apply(name).replace(".self_attn.A_log", ".self_attn.attn.A_log");
    UnaryOperator<String> hf = head("model.language_model.");
    UnaryOperator<String> text = head("model.");
    UnaryOperator<String> vision = to(ENGINE + "embed_tokens.weight", VISION);
    UnaryOperator<String> wrappedVision = to(ENGINE + "embed_tokens.weight", "model." + VISION);
    return Stream.of(
        row("mla-kv-b-proj", alias, fresh),
        row("mla-kv-b-proj-alias", fresh, alias),
        row("moe-correction-bias", experts, fresh),
        row("moe-correction-bias", legacy, fresh),
        row("moe-correction-bias-experts", fresh, experts),
        row("moe-correction-bias-experts", legacy, experts),
        row("moe-correction-bias-legacy", fresh, legacy),
        row("moe-correction-bias-legacy", experts, legacy),
        row("linear-attention-long", fresh, longBoth),
        row("linear-attention-long-dt-bias", fresh, longBias),
        row("linear-attention-short", longBoth, fresh),
        row("linear-attention-short", longBias, fresh),
        row("lora-base-layer", to(".o_proj.", ".o_proj.base_layer."), fresh),
        row("compiled-modules", to(".layers.", "._orig_mod.layers."), fresh),
        row("multimodal-hf-to-engine", hf, fresh),
        row("multimodal-engine-to-hf", fresh, hf),
        row("multimodal-hf-to-text", hf, text),
        row("multimodal-text-to-hf", text, hf),
        row("multimodal-engine-to-text", fresh, text),
        row("multimodal-text-to-engine", text, fresh),
        row("multimodal-vision-unwrap", wrappedVision, vision),
        row("multimodal-vision-wrap", vision, wrappedVision));
  }

  private static UnaryOperator<String> to(String from, String target) {
    return name -> name.replace(from, target);
  }

  /** The text model below that prefix, and the head outside of it. */
  private static UnaryOperator<String> head(String prefix) {
    return name ->
        name.startsWith(ENGINE_HEAD)
            ? name.replace(ENGINE_HEAD, "lm_head.")
            : name.replace(ENGINE, prefix);
  }

  @Test
  void everyFamilyIsTried() {
    assertThat(rows().map(Row::family).distinct())
        .containsExactlyInAnyOrderElementsOf(
            BuiltinRules.all().stream().map(RuleFamily::name).toList());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void whatTheSaverWroteBecomesWhatTheLoaderExpects(Row row) throws Exception {
    Trial trial = generate(directory);
    rename(directory, row.saved());
    ExpectedState expected = OtherNames.of(trial.expected(), row.loaded());
    LayoutActions actions =
        new LayoutActions(LayoutActions.with().job(), RuleSources.only(List.of(row.family())));
    assertThat(actions.verify(directory, expected).faults())
        .extracting(org.shardmend.checkpoint.Finding::code)
        .contains("unexpected-tensor", "missing-tensor");

    PlannedCheckpoint planned = actions.plan(directory);
    actions.repairInPlace(directory);

    assertThat(planned.plan().changes().map(change -> change.action()).distinct())
        .containsExactly(Action.RENAME);
    assertThat(actions.verify(directory, expected).faults()).isEmpty();
    assertThat(actions.plan(directory).plan().nothingToDo()).isTrue();
    actions.rollback(directory);
    assertThat(actions.plan(directory).plan().fingerprint())
        .isEqualTo(planned.plan().fingerprint());
  }

  private static Trial generate(Path target) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .tp(2)
            .layers(4)
            .bytes(100_000)
            .maxShardBytes(60_000)
            .fault(Fault.CLEAN)
            .build();
    return new GenerateAction(settings, LayoutActions.location(target), "", Progress.SILENT)
        .execute();
  }

  /** Writes every shard again, under other names. */
  private static void rename(Path checkpoint, UnaryOperator<String> change)
      throws IOException, SafetensorsException {
    for (ShardFile shard : SavedCheckpoint.read(checkpoint).files().values()) {
      List<TensorEntry> tensors =
          shard.header().tensors().stream()
              .map(tensor -> tensor.withName(change.apply(tensor.name())))
              .toList();
      Header header = Header.of(shard.header().metadata(), tensors, UnknownDtypes.REFUSE);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      bytes.writeBytes(HeaderWriter.encode(header));
      for (TensorEntry tensor : shard.header().inOffsetOrder()) {
        bytes.writeBytes(shard.data(tensor));
      }
      Files.write(shard.path(), bytes.toByteArray());
    }
  }
}
