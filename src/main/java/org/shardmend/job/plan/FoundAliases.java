package org.shardmend.job.plan;

import java.util.List;
import java.util.Optional;
import org.shardmend.plan.alias.AmbiguousName;
import org.shardmend.plan.alias.EqualNames;
import org.shardmend.plan.alias.NameCount;
import org.shardmend.plan.alias.NameEvidence;
import org.shardmend.rules.RuleFamily;

/**
 * Names that should be others, besides those that the active rules put right.
 *
 * @param equal names of one load unit that hold equal bytes
 * @param renamed names that were paired with the one that they should be
 * @param ambiguous names that may stand for one of several, for which no rule is proposed
 * @param unexpected names that no loader expects, and that no proposed rule changes
 * @param missing names that loaders expect, and that no proposed rule gives
 * @param compared what was read of a healthy checkpoint and of this one, to prove pairs of names
 * @param proposed rules that do so, tried on every load unit; empty when none held
 * @param meetsActiveRules whether an active rule changes a name that these change, too, so that
 *     they can't be active together
 */
public record FoundAliases(
    List<EqualNames> equal,
    List<NameEvidence> renamed,
    List<AmbiguousName> ambiguous,
    List<NameCount> unexpected,
    List<NameCount> missing,
    ComparedBytes compared,
    Optional<RuleFamily> proposed,
    boolean meetsActiveRules) {

  /** Copies the lists, so that the value can't change. */
  public FoundAliases {
    equal = List.copyOf(equal);
    renamed = List.copyOf(renamed);
    ambiguous = List.copyOf(ambiguous);
    unexpected = List.copyOf(unexpected);
    missing = List.copyOf(missing);
  }
}
