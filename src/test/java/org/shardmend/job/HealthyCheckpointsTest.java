package org.shardmend.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.job.files.GenerateAction;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.job.spark.Progress;
import org.shardmend.job.verify.VerifyResult;
import org.shardmend.trial.Engine;
import org.shardmend.trial.Fault;
import org.shardmend.trial.NameStyle;
import org.shardmend.trial.TrialSettings;

/**
 * {@code verify --full} of healthy checkpoints: no fault and no finding, in every layout, with TP
 * and PP from 1 to 16, hybrid and pure MLA, long and short names, FP8 and BF16, tied embeddings and
 * expert parallelism.
 */
class HealthyCheckpointsTest {
  private static final int SHAPES = 54;
  private static final int[] RANKS = {1, 2, 3, 4, 8, 16};
  private static final int[] STAGES = {1, 2, 4, 16, 1, 7, 3};
  private static final int MOST_RANKS = 32;
  private static final List<Layout> LAYOUTS =
      List.of(Layout.SHARDED_STATE, Layout.PRESHARDED, Layout.HUGGINGFACE);

  @TempDir private Path directory;

  static Stream<TrialSettings> shapes() {
    return IntStream.range(0, SHAPES).mapToObj(HealthyCheckpointsTest::shape);
  }

  /** Bits and remainders of the number, so that the properties meet in all combinations. */
  private static TrialSettings shape(int number) {
    Layout layout = LAYOUTS.get(number % LAYOUTS.size());
    int round = number / LAYOUTS.size();
    boolean fp8 = (round & 1) != 0;
    int tp = layout == Layout.HUGGINGFACE ? 1 : RANKS[round % RANKS.length];
    int pp = layout == Layout.HUGGINGFACE ? 1 : STAGES[round % STAGES.length];
    boolean vllm = layout != Layout.PRESHARDED && !fp8 && round % 3 == 0;
    return TrialSettings.builder()
        .layout(layout)
        .fault(Fault.CLEAN)
        .tp(tp)
        .pp(Math.min(pp, MOST_RANKS / tp))
        .ep(tp % 2 == 0 ? 2 : 1)
        .layers(1 + round % 9)
        .bytes(1)
        .maxShardBytes(20_000)
        .fp8(fp8)
        // Without vLLM's FP8, which is known not to survive and gets a finding that is true.
        .engine(vllm ? Engine.VLLM : Engine.SGLANG)
        .hybrid((round & 2) != 0)
        .tiedEmbeddings((round & 4) != 0)
        .linearAttention((round & 8) != 0 ? NameStyle.LONG : NameStyle.SHORT)
        .hash((round & 1) != 0 ? HashKind.SHA1 : HashKind.XXH3_128)
        .seed(number)
        .build();
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void haveNoFaultAndNoFinding(TrialSettings settings) throws Exception {
    new GenerateAction(settings, LayoutActions.location(directory), "", Progress.SILENT).execute();
    LayoutActions actions = LayoutActions.with();

    VerifyResult result = actions.verify(directory);

    assertThat(result.units()).isEqualTo(settings.worldSize());
    assertThat(result.faults()).isEmpty();
    assertThat(result.findings()).isEmpty();
    PlannedCheckpoint planned = actions.plan(directory);
    assertThat(planned.plan().nothingToDo()).isTrue();
    assertThat(planned.findings()).isEmpty();
  }
}
