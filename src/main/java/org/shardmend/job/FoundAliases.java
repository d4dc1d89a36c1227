package org.shardmend.job;

import java.util.List;
import java.util.Optional;
import org.shardmend.plan.EqualNames;
import org.shardmend.plan.NameEvidence;
import org.shardmend.rules.RuleFamily;

/**
 * Names that should be others, besides those that the active rules put right.
 *
 * @param equal names of one load unit that hold equal bytes
 * @param renamed names that were paired with the one that they should be
 * @param proposed rules that do so, tried on every load unit; empty when none held
 * @param meetsActiveRules whether an active rule changes a name that these change, too, so that
 *     they can't be active together
 */
public record FoundAliases(
    List<EqualNames> equal,
    List<NameEvidence> renamed,
    Optional<RuleFamily> proposed,
    boolean meetsActiveRules) {

  /** Copies the lists, so that the value can't change. */
  public FoundAliases {
    equal = List.copyOf(equal);
    renamed = List.copyOf(renamed);
  }
}
