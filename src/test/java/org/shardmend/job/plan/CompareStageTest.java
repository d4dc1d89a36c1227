package org.shardmend.job.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.PackedComparisons;
import org.shardmend.plan.UnitPlan;
import org.shardmend.safetensors.Shape;

/** How comparisons are divided among tasks. */
class CompareStageTest {
  private final DecisionSpill spill = new DecisionSpill(DecisionSpill.DEFAULT_HEAP_BYTES);

  /** A unit in which {@code count} names have an alias each, of so many bytes. */
  private static UnitPlan unit(int rank, int count, long bytes) {
    List<Comparison> open = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = "%d.%06d".formatted(rank, i);
      open.add(
          new Comparison(
              UnitId.ofTp(rank),
              name,
              List.of(tensor(name, i * bytes, bytes), tensor(name + ".alias", i * bytes, bytes))));
    }
    return new UnitPlan(UnitId.ofTp(rank), List.of(), PackedComparisons.of(open));
  }

  private static NamedTensor tensor(String name, long begin, long bytes) {
    return new NamedTensor("s", name, "U8", Shape.of(bytes), begin, begin + bytes, "", false);
  }

  private List<List<Comparison>> tasks(UnitPlan... units) {
    return CompareStage.bundles(List.of(units), spill).stream()
        .map(bundle -> bundle.comparisons().stream().toList())
        .toList();
  }

  @Test
  void fewSmallComparisonsOfSeveralUnitsShareOneTask() {
    UnitPlan first = unit(0, 3, 8);
    UnitPlan second = unit(1, 2, 8);

    assertThat(tasks(first, second))
        .containsExactly(
            List.of(comparisons(first), comparisons(second)).stream()
                .flatMap(List::stream)
                .toList());
  }

  /** One task held all of them, and took a time that grew with their square. */
  @Test
  void manySmallComparisonsAreDividedByTheirNumber() {
    UnitPlan many = unit(0, 2 * CompareStage.COMPARISONS_PER_TASK + 1, 8);

    List<List<Comparison>> tasks = tasks(many);

    assertThat(tasks)
        .extracting(List::size)
        .containsExactly(CompareStage.COMPARISONS_PER_TASK, CompareStage.COMPARISONS_PER_TASK, 1);
    assertThat(tasks.stream().flatMap(List::stream)).containsExactlyElementsOf(comparisons(many));
  }

  @Test
  void largeComparisonsAreDividedByTheirBytes() {
    UnitPlan large = unit(0, 5, CompareStage.BYTES_PER_TASK / 4);

    assertThat(tasks(large)).extracting(List::size).containsExactly(2, 2, 1);
  }

  @Test
  void oneThatIsLargerThanATasksShareIsATaskOfItsOwn() {
    assertThat(tasks(unit(0, 2, CompareStage.BYTES_PER_TASK)))
        .extracting(List::size)
        .containsExactly(1, 1);
  }

  @Test
  void unitsWithoutComparisonsMakeNoTask() {
    assertThat(tasks(unit(0, 0, 8))).isEmpty();
  }

  private static List<Comparison> comparisons(UnitPlan unit) {
    return unit.open().stream().toList();
  }
}
