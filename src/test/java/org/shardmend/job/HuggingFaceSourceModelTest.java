package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.plan.PlanAction;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.VerifyAction;
import org.shardmend.job.verify.VerifyRequest;
import org.shardmend.trial.Fault;
import org.shardmend.trial.TrialSettings;

/** What the original model, or a healthy checkpoint of the same shape, says of a checkpoint. */
class HuggingFaceSourceModelTest {
  @TempDir private Path directory;

  @Test
  void namesThatTheOriginalModelKnowsAreNotDoubted() throws Exception {
    Path model = generate("model", Layout.HUGGINGFACE, Fault.CLEAN, 1);
    Path checkpoint = generate("checkpoint", Layout.HUGGINGFACE, Fault.ALIAS_ONLY, 1);

    assertThat(plan(checkpoint, model, LayoutActions.with()).findings())
        .extracting(Finding::code)
        .doesNotContain("unknown-to-source", "source-bytes");
  }

  @Test
  void namesThatTheOriginalModelHasNotAreDoubted() throws Exception {
    Path model = generate("model", Layout.HUGGINGFACE, Fault.CLEAN, 1);
    Path checkpoint = generate("checkpoint", Layout.HUGGINGFACE, Fault.CLEAN, 1);
    Path rules = directory.resolve("rules.json");
    Files.writeString(
        rules,
        """
        {"name": "odd", "about": "For a test.", "layouts": ["huggingface"], "default": false,
         "rules": [{"from": "(?<x>.*)\\\\.kv_b_proj\\\\.(?<p>.+)", "to": "${x}.odd.${p}",
                    "examples": [["a.kv_b_proj.weight", "a.odd.weight"]]}]}
        """);

    assertThat(plan(checkpoint, model, LayoutActions.with(rules.toString())).findings())
        .extracting(Finding::code)
        .contains("unknown-to-source");
  }

  @Test
  void aCheckpointIsHeldToAHealthyOneOfItsShape() throws Exception {
    LayoutActions actions = LayoutActions.with();
    Path healthy = generate("healthy", Layout.PRESHARDED, Fault.CLEAN, 2);
    Path aliased = generate("aliased", Layout.SHARDED_STATE, Fault.ALIAS_ONLY, 2);
    Path twin = generate("twin", Layout.SHARDED_STATE, Fault.CLEAN, 2);

    assertThat(like(actions, twin, generate("other", Layout.SHARDED_STATE, Fault.CLEAN, 2)))
        .isEmpty();
    assertThat(like(actions, aliased, twin))
        .contains("unexpected-tensor", "missing-tensor")
        .doesNotContain("unit-missing");
    assertThat(like(actions, healthy, generate("dump", Layout.PRESHARDED, Fault.CLEAN, 2)))
        .isEmpty();
  }

  private static List<String> like(LayoutActions actions, Path checkpoint, Path healthy)
      throws JobException {
    VerifyRequest request =
        new VerifyRequest(actions.of(checkpoint), VerifyRequest.Depth.HEADERS)
            .like(LayoutActions.location(healthy));
    return new VerifyAction(actions.job(), request)
        .execute().faults().stream().map(fault -> fault.code()).toList();
  }

  private static PlannedCheckpoint plan(Path checkpoint, Path model, LayoutActions actions)
      throws JobException {
    return new PlanAction(actions.job(), actions.of(checkpoint))
        .sourceModel(LayoutActions.location(model))
        .execute();
  }

  private Path generate(String name, Layout layout, Fault fault, int tp) throws JobException {
    Path target = directory.resolve(name);
    TrialSettings settings =
        TrialSettings.builder()
            .layout(layout)
            .fault(fault)
            .tp(tp)
            .layers(4)
            .hybrid(false)
            .bytes(300_000)
            .maxShardBytes(60_000)
            .build();
    new GenerateAction(settings, LayoutActions.location(target), "", Progress.SILENT).execute();
    return target;
  }
}
