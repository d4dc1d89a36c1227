package org.shardmend.job.repair;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.layout.RankRead;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.plan.ShardPlan;

/**
 * A shard's plan with the number that its files in staging and journal carry.
 *
 * @param number unique in the plan, from 0
 * @param plan what becomes of it
 * @param reads who reads what of it, where the names stand in a side file
 */
public record NumberedShard(int number, ShardPlan plan, ArrayList<RankRead> reads)
    implements Serializable {

  /** All shards of a plan, numbered in its order. */
  static List<NumberedShard> of(PlannedCheckpoint planned) {
    Map<String, List<RankRead>> reads = planned.checkpoint().layout().reads();
    List<NumberedShard> shards = new ArrayList<>();
    for (ShardPlan plan : planned.plan().shards()) {
      List<RankRead> ofShard = reads.getOrDefault(plan.name(), List.of());
      shards.add(new NumberedShard(shards.size(), plan, new ArrayList<>(ofShard)));
    }
    return shards;
  }
}
