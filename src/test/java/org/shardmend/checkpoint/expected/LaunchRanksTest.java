package org.shardmend.checkpoint.expected;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Samples;
import org.shardmend.checkpoint.ServekitJson;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

class LaunchRanksTest {
  private static final UnitId STAGE_0 = new UnitId(0, UnitId.ABSENT);

  @Test
  void anExpectedRankWithoutFilesIsNamedInEveryLayout() throws CheckpointException {
    ExpectedState state =
        ExpectedState.read(Samples.read("mla-tp2-pp2.expected.json"), "state.json");

    assertThat(ranks(state, at(0, 0), at(0, 1), at(1, 0)).withoutFiles()).containsExactly(at(1, 1));
    assertThat(ranks(state, UnitId.ofTp(0), UnitId.ofTp(1)).withoutFiles())
        .containsExactly(at(1, 0), at(1, 1));
    assertThat(ranks(of(UnitId.ofTp(0), UnitId.ofTp(1)), UnitId.ofTp(0)).withoutFiles())
        .containsExactly(UnitId.ofTp(1));
  }

  @Test
  void whatIsExpectedOfEveryStageOrRankIsExpectedOfEachThatIsThere() {
    assertThat(
            ranks(of(UnitId.ofTp(0), UnitId.ofTp(1)), at(0, 0), at(0, 1), at(1, 0)).withoutFiles())
        .containsExactly(at(1, 1));
    assertThat(ranks(of(STAGE_0, new UnitId(1, UnitId.ABSENT)), at(0, 0), at(0, 1)).withoutFiles())
        .containsExactly(at(1, 0), at(1, 1));
    assertThat(ranks(of(UnitId.NONE), UnitId.ofTp(0), UnitId.ofTp(1)).withoutFiles()).isEmpty();
    assertThat(ranks(of(UnitId.NONE), UnitId.NONE).withoutFiles()).isEmpty();
  }

  @Test
  void aRankBeyondTheExpectedOnesInOneStageAloneIsReadByNothing() {
    LaunchRanks launch = ranks(of(at(0, 0), at(1, 0)), at(0, 0), at(1, 0), at(0, 1));

    assertThat(launch.isBeyond(at(0, 1), true)).isTrue();
  }

  @Test
  void aRankThatEveryStageHasMayHaveLostItsExpectation() {
    LaunchRanks launch = ranks(of(at(0, 0), at(1, 0)), at(0, 0), at(1, 0), at(0, 1), at(1, 1));

    assertThat(launch.isBeyond(at(0, 1), true)).isFalse();
    assertThat(
            ranks(of(UnitId.ofTp(0)), UnitId.ofTp(0), UnitId.ofTp(1))
                .isBeyond(UnitId.ofTp(1), true))
        .isFalse();
  }

  @Test
  void aGapInTheExpectationIsNeverBeyondIt() {
    LaunchRanks launch =
        ranks(of(at(0, 0), at(0, 1), at(1, 1)), at(0, 0), at(0, 1), at(1, 0), at(1, 1));

    assertThat(launch.isBeyond(at(1, 0), true)).isFalse();
  }

  @Test
  void aStageAfterTheLastIsReadByNothingWhereItRepeatsTheOthers() {
    LaunchRanks launch = ranks(of(at(0, 0), at(1, 0)), at(0, 0), at(1, 0), at(2, 0));

    assertThat(launch.isBeyond(at(2, 0), true)).isTrue();
    assertThat(launch.isBeyond(at(2, 0), false)).isFalse();
  }

  @Test
  void servekitJsonKnowsTheSizesOfTheLaunch() throws JsonFormatException {
    Optional<ServekitInfo> twoByTwo =
        Optional.of(ServekitInfo.read(ServekitJson.of(2, 2).getBytes(StandardCharsets.UTF_8)));
    List<UnitId> units = List.of(at(0, 0), at(0, 1), at(1, 0), at(1, 1), at(2, 0));
    LaunchRanks launch = new LaunchRanks(of(at(0, 0)).ranks(), units, twoByTwo);

    assertThat(launch.isBeyond(at(1, 1), true)).isFalse();
    assertThat(launch.isBeyond(at(2, 0), false)).isTrue();
  }

  private static UnitId at(int stage, int rank) {
    return new UnitId(stage, rank);
  }

  private static ExpectedState of(UnitId... ranks) {
    return ExpectedState.of(
        Stream.of(ranks)
            .map(rank -> new ExpectedUnit(rank, Map.of("a", ExpectedTensor.nameOnly())))
            .toList());
  }

  private static LaunchRanks ranks(ExpectedState expected, UnitId... units) {
    return new LaunchRanks(expected.ranks(), List.of(units), Optional.empty());
  }
}
