package org.shardmend.job.verify;

import java.io.Serializable;
import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What could turn the names that loaders do not expect into those that they miss.
 *
 * @param families built-in families that are not active and would do it for some names
 * @param unexplained how many unexpected names neither these nor the active rules make a missing
 *     one of, in units where names are missing
 */
public record NameCures(SortedSet<String> families, long unexplained) implements Serializable {

  /** Copies the families, so that the value can't change. */
  public NameCures {
    families = Collections.unmodifiableSortedSet(new TreeSet<>(families));
  }

  /** No name needs one. */
  static NameCures none() {
    return new NameCures(new TreeSet<>(), 0);
  }

  /** What all units together need. */
  static NameCures of(Collection<NameCures> units) {
    TreeSet<String> families = new TreeSet<>();
    units.forEach(unit -> families.addAll(unit.families()));
    return new NameCures(families, units.stream().mapToLong(NameCures::unexplained).sum());
  }
}
