package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.TensorComparer;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.ComparisonResult;
import org.shardmend.plan.ComparisonResults;
import org.shardmend.plan.PackedComparisons;
import org.shardmend.plan.UnitPlan;

/**
 * Reads the bytes of tensors that would become one name, to prove that they are one tensor. Small
 * comparisons share a task; the largest tasks start first. The driver holds comparisons and results
 * packed only, and no more of them than the spill leaves it.
 */
final class CompareStage {
  /** A task reads about this much, so that thousands of small tensors don't become tasks. */
  static final long BYTES_PER_TASK = 256L << 20;

  /** A task makes no more comparisons than this: as many as a task may well hold at once. */
  static final int COMPARISONS_PER_TASK = 10_000;

  private CompareStage() {}

  /**
   * What a task does.
   *
   * @param number its place in the order of the comparisons
   */
  record Bundle(int number, PackedComparisons comparisons) implements Serializable {}

  private record Receipt(int number, ComparisonResults results) implements Serializable {}

  /**
   * Makes the open comparisons of {@code units}; their results are in the same order.
   *
   * @param spill keeps what is too much for the heap
   */
  static ComparisonResults run(
      SparkJob job, CheckpointAccess access, List<UnitPlan> units, DecisionSpill spill)
      throws JobException {
    List<Bundle> bundles = new ArrayList<>(bundles(units, spill));
    long total = bundles.stream().mapToLong(bundle -> bundle.comparisons().bytes()).sum();
    bundles.sort(
        Comparator.comparingLong((Bundle bundle) -> bundle.comparisons().bytes()).reversed());
    TreeMap<Integer, ComparisonResults> inOrder = new TreeMap<>();
    for (Receipt part :
        job.runKeeping(
            "Compare tensors that stand for one name",
            total,
            bundles,
            (bundle, meter) -> compare(access, bundle, meter),
            receipt -> new Receipt(receipt.number(), receipt.results().kept(spill::keep)))) {
      inOrder.put(part.number(), part.results());
    }
    return ComparisonResults.together(List.copyOf(inOrder.values()));
  }

  /** The tasks, in the order of the comparisons. */
  static List<Bundle> bundles(List<UnitPlan> units, DecisionSpill spill) {
    List<Bundle> bundles = new ArrayList<>();
    PackedComparisons.Builder current = new PackedComparisons.Builder();
    for (UnitPlan unit : units) {
      for (Iterator<Comparison> each = unit.open().stream().iterator(); each.hasNext(); ) {
        Comparison comparison = each.next();
        if (isFull(current, comparison)) {
          bundles.add(new Bundle(bundles.size(), current.build().kept(spill::keep)));
          current = new PackedComparisons.Builder();
        }
        current.add(comparison);
      }
    }
    if (current.count() > 0) {
      bundles.add(new Bundle(bundles.size(), current.build().kept(spill::keep)));
    }
    return bundles;
  }

  private static boolean isFull(PackedComparisons.Builder bundle, Comparison next) {
    return bundle.count() == COMPARISONS_PER_TASK
        || (bundle.count() > 0 && bundle.bytes() + next.bytes() > BYTES_PER_TASK);
  }

  private static Receipt compare(CheckpointAccess access, Bundle bundle, LongConsumer meter)
      throws IOException {
    List<ComparisonResult> results = new ArrayList<>(bundle.comparisons().count());
    try (TensorComparer comparer = TensorComparer.within(access, meter)) {
      for (Iterator<Comparison> each = bundle.comparisons().stream().iterator(); each.hasNext(); ) {
        results.add(comparer.compare(each.next()));
      }
    }
    return new Receipt(bundle.number(), ComparisonResults.of(results));
  }
}
