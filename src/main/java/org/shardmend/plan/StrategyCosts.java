package org.shardmend.plan;

import java.util.EnumMap;
import java.util.Map;

/**
 * What each strategy would read, write and additionally store for a plan, as {@code bytes_read} and
 * {@code bytes_written} of the repair count it; of a PATCH, whose journal is deflated, at most. A
 * repair plans twice: before it begins, and again on what is there at its end.
 */
public final class StrategyCosts {
  private static final int PLANNINGS = 2;

  /** How often the header of a shard that is patched is read: staged, checked twice, read back. */
  private static final int PATCH_READS = 4;

  /** How often a side file that a journal replaces is read: put into it, and checked twice. */
  private static final int REPLACE_READS = 3;

  private StrategyCosts() {}

  /**
   * The cost of the whole plan by strategy, for those that can carry out a plan.
   *
   * @param planning what was read for the plan, in bytes
   */
  public static Map<Strategy, Cost> of(Plan plan, SideFileBytes sideFiles, long planning) {
    Map<Strategy, Cost> costs = new EnumMap<>(Strategy.class);
    for (Strategy strategy :
        new Strategy[] {Strategy.PATCH, Strategy.CLONE, Strategy.LINK, Strategy.COPY}) {
      Cost shards =
          plan.shards().stream()
              .map(shard -> of(strategy, shard))
              .reduce(new Cost(0, 0, 0), Cost::plus);
      costs.put(
          strategy,
          shards.plus(of(strategy, sideFiles)).plus(new Cost(PLANNINGS * planning, 0, 0)));
    }
    return costs;
  }

  private static Cost of(Strategy strategy, SideFileBytes sideFiles) {
    long changed = sideFiles.changedAfter();
    return switch (strategy) {
      case PATCH -> new Cost(REPLACE_READS * sideFiles.changedBefore(), changed, changed);
      case CLONE, LINK, COPY -> {
        long written = sideFiles.carried() + changed;
        yield new Cost(sideFiles.carried(), written, written);
      }
      case NONE -> new Cost(0, 0, 0);
    };
  }

  /** The cost of one shard when {@code asked} is preferred, with what it falls back to. */
  static Cost of(Strategy asked, ShardPlan shard) {
    boolean inPlace = asked == Strategy.PATCH;
    StrategyChoice choice =
        inPlace
            ? StrategyChoice.inPlace()
            : StrategyChoice.toOutput(asked == Strategy.CLONE, asked == Strategy.LINK);
    long header = shard.headerBytes();
    return switch (choice.of(shard).orElseThrow()) {
      case NONE -> new Cost(header, 0, 0);
      case PATCH -> new Cost(PATCH_READS * header, 3 * header, 2 * header);
      case CLONE -> {
        long patched = shard.unchanged() ? 0 : header;
        yield new Cost(2 * header, patched, patched);
      }
      case LINK -> new Cost(2 * header, 0, 0);
      case COPY -> inPlace ? replace(shard) : copy(shard);
    };
  }

  /** The header, what is kept of the data, and the new header, which is read back. */
  private static Cost copy(ShardPlan shard) {
    return new Cost(
        shard.headerBytes() + shard.targetBytes(), shard.targetBytes(), shard.targetBytes());
  }

  /**
   * The same in the journal, which looks at the old header three times more, and reads what is
   * dropped, too, to prove the original.
   */
  private static Cost replace(ShardPlan shard) {
    long data = shard.shard().bytes() - shard.headerBytes();
    return new Cost(
        PATCH_READS * shard.headerBytes() + data, shard.targetBytes(), shard.targetBytes());
  }
}
