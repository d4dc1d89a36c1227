package org.shardmend.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

/** Of what comparisons have shown, only differences are kept; nothing else is lost by that. */
class ComparisonResultsTest {
  private static final UnitId FIRST = new UnitId(0, 1);
  private static final UnitId SECOND = new UnitId(1, 0);

  private static Comparison comparison(UnitId unit, String target) {
    return new Comparison(
        unit,
        target,
        List.of(
            new NamedTensor("part-0", target, "BF16", Shape.of(2, 4), 100, 116, "", false),
            new NamedTensor("part-1", "alias." + target, "BF16", Shape.of(), 8, 8, "", false)));
  }

  @Test
  void comparisonsComeBackAsTheyWerePacked() {
    List<Comparison> comparisons = List.of(comparison(FIRST, "a"), comparison(FIRST, "ü"));

    PackedComparisons packed = PackedComparisons.of(comparisons);

    assertThat(packed.stream()).containsExactlyElementsOf(comparisons);
    assertThat(packed.count()).isEqualTo(2);
    assertThat(packed.bytes()).isEqualTo(32);
  }

  @Test
  void differencesComeBackUnitByUnit() {
    ComparisonResult a = ComparisonResult.different(comparison(FIRST, "a"), "alias.a", 7);
    ComparisonResult c = ComparisonResult.different(comparison(FIRST, "c"), "alias.c", 0);
    ComparisonResult d = ComparisonResult.different(comparison(SECOND, "a"), "alias.a", 1);
    ComparisonResults results =
        ComparisonResults.together(
            List.of(
                ComparisonResults.of(List.of(a, ComparisonResult.equal(comparison(FIRST, "b")))),
                ComparisonResults.of(List.of(c, d))));

    Map<UnitId, List<ComparisonResult>> byUnit = new LinkedHashMap<>();
    results.byUnit(byUnit::put);

    assertThat(results.compared()).isEqualTo(4);
    assertThat(byUnit)
        .containsExactly(Map.entry(FIRST, List.of(a, c)), Map.entry(SECOND, List.of(d)));
  }

  private static Plan plan(List<Comparison> open, ComparisonResults results) {
    UnitPlan unit = new UnitPlan(FIRST, List.of(), PackedComparisons.of(open));
    return Plan.of("sharded_state", List.of(unit), results, Map.of(), "[]");
  }

  /** The value of the releases that held every result: a repair that they began goes on. */
  @Test
  void theFingerprintStandsForEveryResult() {
    List<Comparison> open = List.of(comparison(FIRST, "a"), comparison(FIRST, "b"));

    assertThat(
            plan(
                    open,
                    ComparisonResults.of(
                        List.of(
                            ComparisonResult.equal(open.get(0)),
                            ComparisonResult.different(open.get(1), "alias.b", 3))))
                .fingerprint())
        .isEqualTo("cdde1b1c2d792b44c420c83d0fe1bee784d61b87a15d658b4464c18255cd2c38");
  }

  @Test
  void aPlanNeedsAResultForEachComparison() {
    List<Comparison> open = List.of(comparison(FIRST, "a"));

    assertThatThrownBy(() -> plan(open, ComparisonResults.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 comparisons are open, but 0 have a result");
  }

  @Test
  void aResultOfAnotherComparisonIsNotTakenForOne() {
    List<Comparison> open = List.of(comparison(FIRST, "a"));

    assertThatThrownBy(
            () ->
                plan(
                    open,
                    ComparisonResults.of(
                        List.of(ComparisonResult.different(comparison(SECOND, "a"), "x", 1)))))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
