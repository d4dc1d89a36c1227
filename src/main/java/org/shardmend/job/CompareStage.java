package org.shardmend.job;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongConsumer;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.ComparisonResult;

/**
 * Reads the bytes of tensors that would become one name, to prove that they are one tensor. Small
 * comparisons share a task; the largest tasks start first.
 */
final class CompareStage {
  /** A task reads about this much, so that thousands of small tensors don't become tasks. */
  private static final long BYTES_PER_TASK = 256L << 20;

  private CompareStage() {}

  private record Bundle(ArrayList<Comparison> comparisons) implements Serializable {
    long bytes() {
      return comparisons.stream().mapToLong(Comparison::bytes).sum();
    }
  }

  private record Results(List<ComparisonResult> results) implements Serializable {}

  static List<ComparisonResult> run(
      SparkJob job, CheckpointAccess access, List<Comparison> comparisons) throws JobException {
    List<Bundle> bundles = bundles(comparisons);
    long total = comparisons.stream().mapToLong(Comparison::bytes).sum();
    List<ComparisonResult> results = new ArrayList<>();
    for (Results part :
        job.run(
            "Compare tensors that stand for one name",
            total,
            bundles,
            (bundle, meter) -> compare(access, bundle, meter))) {
      results.addAll(part.results());
    }
    return results;
  }

  private static List<Bundle> bundles(List<Comparison> comparisons) {
    List<Comparison> largestFirst = new ArrayList<>(comparisons);
    largestFirst.sort(Comparator.comparingLong(Comparison::bytes).reversed());
    List<Bundle> bundles = new ArrayList<>();
    Bundle current = new Bundle(new ArrayList<>());
    for (Comparison comparison : largestFirst) {
      if (!current.comparisons().isEmpty()
          && current.bytes() + comparison.bytes() > BYTES_PER_TASK) {
        bundles.add(current);
        current = new Bundle(new ArrayList<>());
      }
      current.comparisons().add(comparison);
    }
    if (!current.comparisons().isEmpty()) {
      bundles.add(current);
    }
    return bundles;
  }

  private static Results compare(CheckpointAccess access, Bundle bundle, LongConsumer meter)
      throws IOException {
    List<ComparisonResult> results = new ArrayList<>();
    try (TensorComparer comparer = TensorComparer.within(access, meter)) {
      for (Comparison comparison : bundle.comparisons()) {
        results.add(comparer.compare(comparison));
      }
    }
    return new Results(results);
  }
}
