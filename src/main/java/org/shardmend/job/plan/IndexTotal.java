package org.shardmend.job.plan;

import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.finding.IndexCheck;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.plan.Plan;

/** Holds the total that an index states to what the headers say. */
public final class IndexTotal {
  private IndexTotal() {}

  /** Whether the total that an index states, if it does, is that of the plan's shards. */
  static boolean isRight(IndexJson index, Plan plan) {
    long bytes =
        plan.shards().stream()
            .mapToLong(shard -> shard.shard().bytes() - shard.headerBytes())
            .sum();
    return index.totalSize().orElse(bytes) == bytes;
  }

  /** A finding when the index of a Hugging Face checkpoint states another total. */
  public static Optional<Finding> finding(Checkpoint checkpoint, List<UnitSummary> summaries) {
    long bytes = summaries.stream().mapToLong(UnitSummary::bytes).sum();
    return checkpoint.index().flatMap(index -> IndexCheck.checkTotal(index, bytes));
  }
}
