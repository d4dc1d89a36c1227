package org.shardmend.plan.alias;

import java.util.List;

/**
 * What the names of a load unit that should be others stand for.
 *
 * @param pairs names that a loader does not expect, with the missing ones that they stand for
 * @param ambiguous names that may stand for one of several
 * @param unexpected names that no missing one was found for, sorted
 * @param missing names that no unexpected one was found for, sorted
 */
public record Pairing(
    List<ProvenPair> pairs,
    List<AmbiguousName> ambiguous,
    List<String> unexpected,
    List<String> missing) {

  /** Where nothing is expected, there is nothing to pair. */
  static final Pairing NONE = new Pairing(List.of(), List.of(), List.of(), List.of());

  /** Copies the lists, so that the value can't change. */
  public Pairing {
    pairs = List.copyOf(pairs);
    ambiguous = List.copyOf(ambiguous);
    unexpected = List.copyOf(unexpected);
    missing = List.copyOf(missing);
  }
}
