package org.shardmend.job;

import java.io.Serializable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.checkpoint.ExpectedTensor;
import org.shardmend.plan.NamedUnit;

/**
 * A load unit with what its loader expects.
 *
 * @param unit the load unit
 * @param checked whether anything is known of what loaders expect
 * @param expected what this one expects, by name
 */
record UnitTask(NamedUnit unit, boolean checked, HashMap<String, ExpectedTensor> expected)
    implements Serializable {

  /** A task for each unit. */
  static List<UnitTask> of(List<NamedUnit> units, Optional<ExpectedState> expected) {
    return units.stream()
        .map(
            unit ->
                new UnitTask(
                    unit,
                    expected.isPresent(),
                    expected
                        .flatMap(state -> state.forUnit(unit.id()))
                        .map(HashMap::new)
                        .orElseGet(HashMap::new)))
        .toList();
  }

  /** What the unit's loader expects, where anything is known. */
  Optional<Map<String, ExpectedTensor>> expectation() {
    return checked ? Optional.of(expected) : Optional.empty();
  }
}
