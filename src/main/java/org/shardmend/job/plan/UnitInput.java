package org.shardmend.job.plan;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.shardmend.plan.contract.NamedUnit;

/**
 * A load unit with what its loader expects.
 *
 * @param unit the load unit
 * @param expected what this one expects
 */
public record UnitInput(NamedUnit unit, UnitExpectation expected) implements Serializable {

  /** A task for each unit. */
  public static List<UnitInput> of(List<NamedUnit> units, Optional<ExpectedUnits> expected) {
    return units.stream()
        .map(
            unit ->
                new UnitInput(
                    unit, expected.map(all -> all.of(unit.id())).orElse(UnitExpectation.UNKNOWN)))
        .toList();
  }
}
