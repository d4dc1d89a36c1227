package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.Layout;
import org.shardmend.plan.Strategy;
import org.shardmend.trial.Fault;
import org.shardmend.trial.Trial;
import org.shardmend.trial.TrialSettings;

/**
 * Every layout with every fault, repaired in every way: what comes out is what a loader expects.
 */
class LayoutMatrixTest {

  /** How a checkpoint is repaired. */
  private enum Way {
    COPY,
    IN_PLACE
  }

  @TempDir private Path directory;

  static Stream<Arguments> cases() {
    return Stream.of(Layout.values())
        .flatMap(
            layout ->
                Stream.of(Fault.values())
                    .flatMap(
                        fault ->
                            Stream.of(Way.values()).map(way -> Arguments.of(layout, fault, way))));
  }

  @ParameterizedTest(name = "{0}, {1}, {2}")
  @MethodSource("cases")
  void whatIsRepairedIsWhatALoaderExpects(Layout layout, Fault fault, Way way) throws Exception {
    LayoutActions actions = LayoutActions.with();
    Path source = directory.resolve("source");
    Trial trial = generate(layout, fault, source);
    Map<String, String> before = LayoutActions.content(source);

    if (fault == Fault.BOTH_DIFFER) {
      assertThatThrownBy(() -> repair(actions, source, way))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("no rule can tell which is right");
      assertThat(LayoutActions.content(source)).isEqualTo(before);
      return;
    }
    Path repaired = repair(actions, source, way);

    assertThat(actions.verify(repaired, trial.expected()).faults()).isEmpty();
    assertThat(actions.verify(repaired).faults()).isEmpty();
    // A shard that drops have emptied stays, and no index names it.
    boolean emptied = layout == Layout.HUGGINGFACE && fault == Fault.OTHER_PART;
    assertThat(actions.verify(repaired).findings())
        .filteredOn(finding -> !(emptied && finding.code().equals("shard-not-in-index")))
        .isEqualTo(findingsOfClean(actions, layout));
    if (way == Way.IN_PLACE) {
      actions.rollback(source);
    }
    assertThat(LayoutActions.content(source)).isEqualTo(before);
  }

  private Path repair(LayoutActions actions, Path source, Way way) throws JobException {
    return switch (way) {
      case COPY -> {
        Path output = directory.resolve("repaired");
        RepairResult result = actions.repair(source, output, Strategy.COPY);
        yield result.outcome() == RepairResult.Outcome.DONE ? output : source;
      }
      case IN_PLACE -> {
        actions.repairInPlace(source);
        yield source;
      }
    };
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
