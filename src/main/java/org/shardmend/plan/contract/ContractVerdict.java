package org.shardmend.plan.contract;

import java.util.List;
import java.util.Set;
import org.shardmend.checkpoint.Finding;

/**
 * What a loader makes of a load unit.
 *
 * @param faults where the unit breaks the loader's contract
 * @param unknown the names that the model does not know
 * @param missing the names that the model asks for and no file holds
 */
public record ContractVerdict(List<Finding> faults, List<String> unknown, Set<String> missing) {

  /** Copies what it is given, so that the value can't change. */
  public ContractVerdict {
    faults = List.copyOf(faults);
    unknown = List.copyOf(unknown);
    missing = Set.copyOf(missing);
  }
}
