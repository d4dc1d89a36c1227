package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.repair.RepairAction;
import org.shardmend.job.repair.RepairRequest;
import org.shardmend.job.repair.RepairResult;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.plan.Plan;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.storage.CloneUnsupportedException;
import org.shardmend.storage.LocalStore;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/**
 * Every layout with every fault, repaired in every way: what comes out is what a loader expects.
 */
@Tag("smoke")
class LayoutMatrixTest {

  /** How a checkpoint is repaired. */
  private enum Way {
    /** Every shard of the output is written. */
    COPY,
    /** What the file system can clone is cloned, and the rest written: all, where it can't. */
    CLONE,
    /** What stays as it is is linked, and the rest written. */
    LINK,
    /** Headers are patched, and what does not fit is written. */
    IN_PLACE
  }

  @TempDir private Path directory;

  /** Each fault with each way, so that each layout meets every fault and every way, too. */
  static Stream<Arguments> pairs() {
    return all().filter(one -> one.get()[0] == layoutOf(one));
  }

  static Stream<Arguments> others() {
    return all().filter(one -> one.get()[0] != layoutOf(one));
  }

  private static Layout layoutOf(Arguments one) {
    List<Layout> layouts = List.of(Layout.values());
    int number =
        List.of(Fault.values()).indexOf((Fault) one.get()[1])
            + List.of(Way.values()).indexOf((Way) one.get()[2]);
    return layouts.get(number % layouts.size());
  }

  private static Stream<Arguments> all() {
    return Stream.of(Layout.values())
        .flatMap(
            layout ->
                Stream.of(Fault.values())
                    .flatMap(
                        fault ->
                            Stream.of(Way.values()).map(way -> Arguments.of(layout, fault, way))));
  }

  @Tag("nightly")
  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("others")
  void soItIsInEveryOtherCombination(Layout layout, Fault fault, Way way) throws Exception {
    whatIsRepairedIsWhatALoaderExpects(layout, fault, way);
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("pairs")
  void whatIsRepairedIsWhatALoaderExpects(Layout layout, Fault fault, Way way) throws Exception {
    LayoutActions actions = LayoutActions.with();
    Path source = directory.resolve("source");
    Trial trial = generate(layout, fault, source);
    Map<String, String> before = LayoutActions.content(source);
    Plan plan = actions.plan(source).plan();

    if (fault == Fault.BOTH_DIFFER) {
      assertThatThrownBy(() -> repair(actions, source, way))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("no rule can tell which is right");
      assertThat(LayoutActions.content(source)).isEqualTo(before);
      return;
    }
    RepairResult result = repair(actions, source, way);

    boolean repairs = fault != Fault.CLEAN;
    assertThat(result.outcome() == RepairResult.Outcome.DONE).isEqualTo(repairs);
    if (repairs) {
      requireStrategies(way, plan, result.strategies());
    }
    Path repaired = way == Way.IN_PLACE || !repairs ? source : directory.resolve("repaired");
    assertThat(actions.verify(repaired, trial.expected()).faults()).isEmpty();
    VerifyResult whole = actions.verify(repaired);
    assertThat(whole.faults()).isEmpty();
    // A shard that drops have emptied stays, and no index names it.
    boolean emptied = layout == Layout.HUGGINGFACE && fault == Fault.OTHER_PART;
    assertThat(whole.findings())
        .filteredOn(finding -> !(emptied && finding.code().equals("shard-not-in-index")))
        .isEqualTo(findingsOfClean(actions, layout));
    if (way == Way.IN_PLACE) {
      actions.rollback(source);
    }
    assertThat(LayoutActions.content(source)).isEqualTo(before);
  }

  private RepairResult repair(LayoutActions actions, Path source, Way way) throws JobException {
    RepairRequest output =
        RepairRequest.toOutput(
                actions.of(source), LayoutActions.location(directory.resolve("repaired")))
            .verify(RepairRequest.Verify.FULL);
    RepairRequest request =
        switch (way) {
          case COPY -> output.strategy(Strategy.COPY);
          case CLONE -> output;
          case LINK -> output.linkUnchanged();
          case IN_PLACE -> RepairRequest.inPlace(actions.of(source));
        };
    return new RepairAction(actions.job(), request).execute();
  }

  /** Each shard is made in the way that its plan and the user's wish give it. */
  private void requireStrategies(Way way, Plan plan, Map<Strategy, Integer> strategies)
      throws IOException {
    int shards = plan.shards().size();
    int unchanged = count(plan, ShardPlan::unchanged);
    int fitting = count(plan, ShardPlan::fitsInPlace);
    switch (way) {
      case COPY -> assertThat(strategies).isEqualTo(Map.of(Strategy.COPY, shards));
      case CLONE -> {
        int cloned = canClone() ? fitting : 0;
        assertThat(strategies.getOrDefault(Strategy.CLONE, 0)).isEqualTo(cloned);
        assertThat(strategies.getOrDefault(Strategy.COPY, 0)).isEqualTo(shards - cloned);
      }
      case LINK -> assertThat(strategies.getOrDefault(Strategy.LINK, 0)).isEqualTo(unchanged);
      case IN_PLACE -> {
        assertThat(strategies.getOrDefault(Strategy.NONE, 0)).isEqualTo(unchanged);
        assertThat(strategies.getOrDefault(Strategy.PATCH, 0)).isEqualTo(fitting - unchanged);
      }
    }
  }

  private static int count(Plan plan, Predicate<ShardPlan> kind) {
    return (int) plan.shards().stream().filter(kind).count();
  }

  private boolean canClone() throws IOException {
    Path probe = Files.writeString(directory.resolve("probe"), "x");
    try (LocalStore store = new LocalStore()) {
      store.cloneFile(probe.toString(), directory.resolve("clone").toString());
      return true;
    } catch (CloneUnsupportedException e) {
      return false;
    }
  }

  private Object findingsOfClean(LayoutActions actions, Layout layout) throws JobException {
    Path clean = directory.resolve("clean");
    generate(layout, Fault.CLEAN, clean);
    return actions.verify(clean).findings();
  }

  private static Trial generate(Layout layout, Fault fault, Path target) throws JobException {
    TrialSettings settings =
        TrialSettings.builder()
            .layout(layout)
            .fault(fault)
            .tp(layout == Layout.HUGGINGFACE ? 1 : 2)
            .layers(4)
            .hybrid(false)
            .bytes(300_000)
            .maxShardBytes(60_000)
            .build();
    return new GenerateAction(settings, LayoutActions.location(target), "", Progress.SILENT)
        .execute();
  }
}
