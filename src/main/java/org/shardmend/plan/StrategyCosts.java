package org.shardmend.plan;

import java.util.EnumMap;
import java.util.Map;

/**
 * What each strategy would read, write and additionally store for a plan. Headers count as read
 * once, and once more where the result is read back; journals hold the old and the new header.
 */
public final class StrategyCosts {
  private StrategyCosts() {}

  /** The cost of the whole plan by strategy, for those that can carry out a plan. */
  public static Map<Strategy, Cost> of(Plan plan) {
    Map<Strategy, Cost> costs = new EnumMap<>(Strategy.class);
    for (Strategy strategy :
        new Strategy[] {Strategy.PATCH, Strategy.CLONE, Strategy.LINK, Strategy.COPY}) {
      costs.put(
          strategy,
          plan.shards().stream()
              .map(shard -> of(strategy, shard))
              .reduce(new Cost(0, 0, 0), Cost::plus));
    }
    return costs;
  }

  /** The cost of one shard when {@code strategy} is asked for, with what it falls back to. */
  public static Cost of(Strategy strategy, ShardPlan shard) {
    long header = shard.headerBytes();
    return switch (strategy) {
      case PATCH -> {
        if (shard.unchanged()) {
          yield new Cost(header, 0, 0);
        }
        yield shard.fitsInPlace() ? new Cost(3 * header, 3 * header, 2 * header) : copy(shard);
      }
      case CLONE -> {
        if (shard.unchanged()) {
          yield new Cost(2 * header, 0, 0);
        }
        yield shard.fitsInPlace() ? new Cost(2 * header, header, header) : copy(shard);
      }
      case LINK -> shard.unchanged() ? new Cost(2 * header, 0, 0) : copy(shard);
      case COPY -> copy(shard);
      case NONE -> new Cost(header, 0, 0);
    };
  }

  private static Cost copy(ShardPlan shard) {
    long reads = shard.headerBytes() + shard.shard().bytes() + shard.targetHeaderBytes();
    return new Cost(reads, shard.targetBytes(), shard.targetBytes());
  }
}
