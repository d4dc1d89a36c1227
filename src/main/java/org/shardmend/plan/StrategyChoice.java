package org.shardmend.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How each shard of a plan is rewritten. It is decided here and nowhere else: by the shard's plan,
 * by what the store can do, and by what was asked for.
 *
 * @param preferred the strategies that may be used, the best first
 */
public record StrategyChoice(List<Strategy> preferred) implements Serializable {

  /** In place: a header that fits is patched, every other changed shard is written anew. */
  public static StrategyChoice inPlace() {
    return new StrategyChoice(List.of(Strategy.NONE, Strategy.PATCH, Strategy.COPY));
  }

  /**
   * In place, with one strategy for all shards that change.
   *
   * @param forced {@link Strategy#PATCH} or {@link Strategy#COPY}
   */
  public static StrategyChoice inPlaceBy(Strategy forced) {
    return new StrategyChoice(List.of(Strategy.NONE, forced));
  }

  /**
   * To an output, by the cheapest way that is allowed.
   *
   * @param clones whether the store can clone from the source to the output
   * @param linksUnchanged whether shards that stay as they are may be links to the source's
   */
  public static StrategyChoice toOutput(boolean clones, boolean linksUnchanged) {
    List<Strategy> preferred = new ArrayList<>();
    if (linksUnchanged) {
      preferred.add(Strategy.LINK);
    }
    if (clones) {
      preferred.add(Strategy.CLONE);
    }
    preferred.add(Strategy.COPY);
    return new StrategyChoice(List.copyOf(preferred));
  }

  /**
   * To an output, with one strategy for all shards.
   *
   * @param forced {@link Strategy#CLONE}, {@link Strategy#LINK} or {@link Strategy#COPY}
   */
  public static StrategyChoice toOutputBy(Strategy forced) {
    return new StrategyChoice(List.of(forced));
  }

  /** The strategy of one shard; empty when the strategy that was asked for can't make it. */
  public Optional<Strategy> of(ShardPlan shard) {
    return preferred.stream().filter(strategy -> isPossible(strategy, shard)).findFirst();
  }

  private static boolean isPossible(Strategy strategy, ShardPlan shard) {
    return switch (strategy) {
      case NONE, LINK -> shard.unchanged();
      case PATCH, CLONE -> shard.fitsInPlace();
      case COPY -> true;
    };
  }
}
