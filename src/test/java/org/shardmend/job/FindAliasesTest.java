package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.plan.Expectation;
import org.shardmend.job.plan.FindAliasesAction;
import org.shardmend.job.plan.FoundAliases;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.plan.Plan;
import org.shardmend.plan.alias.EqualNames;
import org.shardmend.plan.alias.NameEvidence;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleReader;
import org.shardmend.rules.RuleWriter;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.NameStyle;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/** What is found of names that nobody has reported, and which rules are made of it. */
@Tag("smoke")
class FindAliasesTest {
  private static final String ALIAS =
      "language_model.model.layers.*.self_attn.attn_mha.kv_b_proj.weight";
  private static final String CANONICAL =
      "language_model.model.layers.*.self_attn.kv_b_proj.weight";

  @TempDir private Path directory;

  @Test
  void equalBytesInSixtyOneLayersGiveOneRule() throws Exception {
    generate(shape().layers(61).fp8(true).fault(Fault.BOTH_SAME));

    FoundAliases found = find(noRules(), Expectation.none());

    assertThat(found.equal()).extracting(EqualNames::names).contains(List.of(ALIAS, CANONICAL));
    assertThat(found.equal()).extracting(EqualNames::count).contains(122L);
    assertThat(rulesOf(found)).hasSize(1);
    requireSamePlan(found, LayoutActions.with());
  }

  @Test
  void namesThatAreNotExpectedArePairedWithThoseThatAreMissing() throws Exception {
    Trial trial = generate(shape().fp8(true).fault(Fault.ALIAS_ONLY));

    FoundAliases found = find(noRules(), Expectation.of(trial.expected()));

    assertThat(found.equal()).isEmpty();
    assertThat(found.renamed())
        .extracting(evidence -> evidence.edit().source() + " " + evidence.edit().target())
        .contains(ALIAS + " " + CANONICAL);
    assertThat(found.renamed()).extracting(NameEvidence::count).containsOnly(8L);
    assertThat(rulesOf(found)).hasSize(1);
    requireSamePlan(found, LayoutActions.with());
  }

  @Test
  void theExpectationMayComeFromAHealthyCheckpoint() throws Exception {
    generate(shape().fault(Fault.MIXED));
    Path healthy = directory.resolve("healthy");
    generate(shape().fault(Fault.CLEAN), healthy);

    FoundAliases found = find(noRules(), Expectation.like(LayoutActions.location(healthy)));

    assertThat(rulesOf(found)).hasSize(1);
    requireSamePlan(found, LayoutActions.with());
  }

  @Test
  void withoutAnExpectationAMixedCheckpointGivesTheRuleForItsAliases() throws Exception {
    generate(shape().fault(Fault.MIXED));

    FoundAliases found = find(noRules(), Expectation.none());

    assertThat(rulesOf(found)).hasSize(1);
    requireSamePlan(found, LayoutActions.with());
  }

  @ParameterizedTest
  @EnumSource(names = {"ALIAS_ONLY", "BOTH_SAME", "MIXED"})
  void whatAnActiveRulePutsRightIsNotFoundAgain(Fault fault) throws Exception {
    Trial trial = generate(shape().fault(fault));

    FoundAliases found = find(LayoutActions.with(), Expectation.of(trial.expected()));

    assertThat(found.equal()).isEmpty();
    assertThat(found.renamed()).isEmpty();
    assertThat(found.proposed()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aHealthyCheckpointGivesNoRule(Layout layout) throws Exception {
    Trial trial =
        generate(
            shape()
                .tp(layout == Layout.HUGGINGFACE ? 1 : 2)
                .layout(layout)
                .hybrid(true)
                .fp8(true)
                .tiedEmbeddings(true)
                .fault(Fault.CLEAN));

    assertThat(find(noRules(), Expectation.none()).proposed()).isEmpty();
    assertThat(find(noRules(), Expectation.of(trial.expected())).renamed()).isEmpty();
  }

  @Test
  void tensorsOfZerosAreEqualAndGiveNoRule() throws Exception {
    generate(shape().sparse(true).fault(Fault.BOTH_SAME));

    FoundAliases found = find(noRules(), Expectation.none());

    assertThat(found.equal()).isEmpty();
    assertThat(found.proposed()).isEmpty();
  }

  @Test
  void aRuleThatWouldMeetOtherBytesInSomeLayerIsNotProposed() throws Exception {
    generate(shape().fault(Fault.BOTH_DIFFER));

    FoundAliases found = find(noRules(), Expectation.none());

    assertThat(found.equal()).isNotEmpty();
    assertThat(found.proposed()).isEmpty();
  }

  @Test
  void aDumpNamesEqualTensorsByTheirKeys() throws Exception {
    generate(shape().layout(Layout.PRESHARDED).fault(Fault.BOTH_SAME));

    FoundAliases found = find(noRules(), Expectation.none());

    assertThat(rulesOf(found)).hasSize(1);
    requireSamePlan(found, LayoutActions.with());
  }

  @ParameterizedTest
  @EnumSource
  void parametersOfLinearAttentionArePairedBothWays(NameStyle saved) throws Exception {
    generate(shape().hybrid(true).linearAttention(saved));
    NameStyle loaded = saved == NameStyle.LONG ? NameStyle.SHORT : NameStyle.LONG;
    Trial other = generate(shape().hybrid(true).linearAttention(loaded), directory.resolve("o"));

    FoundAliases found = find(noRules(), Expectation.of(other.expected()));

    assertThat(rulesOf(found)).hasSize(1);
    String family = saved == NameStyle.LONG ? "linear-attention-short" : "linear-attention-long";
    requireSamePlan(found, only(family));
  }

  @Test
  void aNeighbourOfWhatChangesStaysAsItIs() throws Exception {
    generate(shape().engine(Engine.VLLM));
    Trial sglang = generate(shape().engine(Engine.SGLANG), directory.resolve("sglang"));

    FoundAliases found = find(noRules(), Expectation.of(sglang.expected()));

    assertThat(rulesOf(found))
        .singleElement()
        .satisfies(rule -> assertThat(rule.from()).endsWith("e_score_correction_bias)"));
    requireSamePlan(found, only("moe-correction-bias"));
  }

  @Test
  void aWrapperAroundEveryNameGivesOneRule() throws Exception {
    Trial trial = generate(shape());

    FoundAliases found =
        find(
            noRules(), Expectation.of(OtherNames.of(trial.expected(), name -> name.substring(15))));

    assertThat(rulesOf(found))
        .extracting(rule -> rule.from() + " -> " + rule.to())
        .containsExactly("language_model\\.(?<after>.+) -> ${after}");
  }

  @Test
  void namesOfWhichNobodyCanTellWhichIsWhichGiveNoRule() throws Exception {
    Trial trial = generate(shape());
    ExpectedState expected =
        OtherNames.of(
            trial.expected(),
            name ->
                name.replace(".input_layernorm.", ".norm_1.")
                    .replace(".post_attention_layernorm.", ".norm_2."));

    assertThat(find(noRules(), Expectation.of(expected)).proposed()).isEmpty();
  }

  @Test
  void aProposalThatMeetsAnActiveRuleSaysSo() throws Exception {
    Trial trial = generate(shape().fault(Fault.ALIAS_ONLY));
    ExpectedState expected =
        OtherNames.of(trial.expected(), name -> name.replace(".kv_b_proj.", ".kv_b_projection."));

    FoundAliases found = find(LayoutActions.with(), Expectation.of(expected));

    assertThat(rulesOf(found)).hasSize(1);
    assertThat(found.meetsActiveRules()).isTrue();
  }

  private Path checkpoint() {
    return directory.resolve("checkpoint");
  }

  private static TrialSettings.Builder shape() {
    return TrialSettings.builder()
        .tp(2)
        .layers(4)
        .hybrid(false)
        .bytes(150_000)
        .maxShardBytes(40_000)
        .fault(Fault.CLEAN);
  }

  private Trial generate(TrialSettings.Builder settings) throws JobException {
    return generate(settings, checkpoint());
  }

  private static Trial generate(TrialSettings.Builder settings, Path target) throws JobException {
    return new GenerateAction(settings.build(), LayoutActions.location(target), "", Progress.SILENT)
        .execute();
  }

  private static LayoutActions noRules() throws JobException {
    return new LayoutActions(LayoutActions.with().job(), List.of());
  }

  private static LayoutActions only(String family) throws JobException {
    return new LayoutActions(LayoutActions.with().job(), RuleSources.only(List.of(family)));
  }

  private FoundAliases find(LayoutActions actions, Expectation expectation) throws Exception {
    PlanRequest request = actions.of(checkpoint());
    PlannedCheckpoint planned = new PlanAction(actions.job(), request).execute();
    return new FindAliasesAction(actions.job(), request, planned).expecting(expectation).execute();
  }

  /** The proposed rules, as their file gives them back. */
  private static List<Rule> rulesOf(FoundAliases found) throws Exception {
    RuleFamily family = found.proposed().orElseThrow();
    assertThat(RuleReader.read(RuleWriter.write(family), "proposed.json")).isEqualTo(family);
    return family.rules();
  }

  /** The proposed rules decide as {@code rules} do, tensor by tensor. */
  private void requireSamePlan(FoundAliases found, LayoutActions rules) throws Exception {
    LayoutActions proposed =
        new LayoutActions(rules.job(), List.of(found.proposed().orElseThrow()));
    List<String> expected = decisions(rules.plan(checkpoint()).plan());
    assertThat(expected).isNotEmpty();
    assertThat(decisions(proposed.plan(checkpoint()).plan())).isEqualTo(expected);
  }

  private static List<String> decisions(Plan plan) {
    try (Stream<String> changes =
        plan.changes()
            .map(
                change ->
                    "%s %s %s %s"
                        .formatted(
                            change.unit().label(),
                            change.action(),
                            change.tensor(),
                            change.target()))) {
      return changes.sorted().toList();
    }
  }
}
