package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** How a shard is rewritten, by its plan, by what the store can do and by what was asked. */
class StrategyChoiceTest {
  private static final ShardPlan UNCHANGED = ShardPlans.unchanged();
  private static final ShardPlan FITS = ShardPlans.renamedToShorter();
  private static final ShardPlan GROWS = ShardPlans.dropping();

  @Test
  void inPlaceAHeaderThatFitsIsPatchedAndTheRestWrittenAnew() {
    StrategyChoice choice = StrategyChoice.inPlace();

    assertThat(choice.of(UNCHANGED)).contains(Strategy.NONE);
    assertThat(choice.of(FITS)).contains(Strategy.PATCH);
    assertThat(choice.of(GROWS)).contains(Strategy.COPY);
  }

  @Test
  void inPlaceACopyIsMadeOfWhatChangesWhenItIsAskedFor() {
    StrategyChoice choice = StrategyChoice.inPlaceBy(Strategy.COPY);

    assertThat(choice.of(UNCHANGED)).contains(Strategy.NONE);
    assertThat(choice.of(FITS)).contains(Strategy.COPY);
    assertThat(choice.of(GROWS)).contains(Strategy.COPY);
  }

  @Test
  void inPlaceAPatchThatIsAskedForCannotMoveData() {
    StrategyChoice choice = StrategyChoice.inPlaceBy(Strategy.PATCH);

    assertThat(choice.of(FITS)).contains(Strategy.PATCH);
    assertThat(choice.of(GROWS)).isEmpty();
  }

  @Test
  void anOutputIsCopiedWhereNothingBetterIsAllowed() {
    StrategyChoice choice = StrategyChoice.toOutput(false, false);

    assertThat(List.of(UNCHANGED, FITS, GROWS))
        .allSatisfy(shard -> assertThat(choice.of(shard)).contains(Strategy.COPY));
  }

  @Test
  void anOutputIsClonedWhereTheStoreCanAndTheHeaderFits() {
    StrategyChoice choice = StrategyChoice.toOutput(true, false);

    assertThat(choice.of(UNCHANGED)).contains(Strategy.CLONE);
    assertThat(choice.of(FITS)).contains(Strategy.CLONE);
    assertThat(choice.of(GROWS)).contains(Strategy.COPY);
  }

  @Test
  void onlyWhatStaysAsItIsCanBeALink() {
    StrategyChoice choice = StrategyChoice.toOutput(true, true);

    assertThat(choice.of(UNCHANGED)).contains(Strategy.LINK);
    assertThat(choice.of(FITS)).contains(Strategy.CLONE);
    assertThat(StrategyChoice.toOutputBy(Strategy.LINK).of(FITS)).isEmpty();
  }

  @Test
  void whatIsAskedForIsNotExchangedForSomethingElse() {
    assertThat(StrategyChoice.toOutputBy(Strategy.CLONE).of(GROWS)).isEmpty();
    assertThat(StrategyChoice.toOutputBy(Strategy.COPY).of(UNCHANGED)).contains(Strategy.COPY);
  }
}
