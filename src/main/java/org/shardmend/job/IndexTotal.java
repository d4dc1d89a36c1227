package org.shardmend.job;

import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Checkpoint;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.IndexCheck;
import org.shardmend.checkpoint.UnitSummary;

/** Holds the total that an index states to what the headers say. */
final class IndexTotal {
  private IndexTotal() {}

  /** A finding when the index of a Hugging Face checkpoint states another total. */
  static Optional<Finding> finding(Checkpoint checkpoint, List<UnitSummary> summaries) {
    long bytes = summaries.stream().mapToLong(UnitSummary::bytes).sum();
    return checkpoint.index().flatMap(index -> IndexCheck.checkTotal(index, bytes));
  }
}
