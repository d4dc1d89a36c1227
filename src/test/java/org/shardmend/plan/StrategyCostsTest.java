package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes read, written and kept besides, for one shard of 1,000 bytes with a header of 100. */
class StrategyCostsTest {
  private static Cost cost(Strategy strategy, ShardPlan shard) {
    return StrategyCosts.of(strategy, shard);
  }

  @Test
  void aPatchReadsTheHeaderFourTimesAndKeepsBothInTheJournal() {
    assertThat(cost(Strategy.PATCH, ShardPlans.renamedToShorter()))
        .isEqualTo(new Cost(400, 300, 200));
  }

  @Test
  void aShardThatStaysAsItIsCostsItsHeaderInPlace() {
    assertThat(cost(Strategy.PATCH, ShardPlans.unchanged())).isEqualTo(new Cost(100, 0, 0));
  }

  @Test
  void aDropInPlaceWritesTheShardAnewAndReadsWhatIsDropped() {
    assertThat(cost(Strategy.PATCH, ShardPlans.dropping()))
        .isEqualTo(new Cost(400 + 900, 560, 560));
  }

  @Test
  void aCloneWritesTheHeaderThatDiffers() {
    assertThat(cost(Strategy.CLONE, ShardPlans.renamedToShorter()))
        .isEqualTo(new Cost(200, 100, 100));
    assertThat(cost(Strategy.CLONE, ShardPlans.unchanged())).isEqualTo(new Cost(200, 0, 0));
  }

  @Test
  void aLinkWritesNothing() {
    assertThat(cost(Strategy.LINK, ShardPlans.unchanged())).isEqualTo(new Cost(200, 0, 0));
  }

  /** The old header, what is kept of the data, and the new header, which is read back. */
  @ParameterizedTest
  @EnumSource(names = {"CLONE", "LINK", "COPY"})
  void whatCannotBeSharedIsCopied(Strategy strategy) {
    assertThat(cost(strategy, ShardPlans.dropping())).isEqualTo(new Cost(100 + 560, 560, 560));
  }

  @Test
  void aCopyCopiesWhatStaysAsItIsToo() {
    assertThat(cost(Strategy.COPY, ShardPlans.unchanged()))
        .isEqualTo(new Cost(100 + 1000, 1000, 1000));
  }
}
