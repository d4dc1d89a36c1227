package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.rules.NameEdit;

/**
 * Names of one load unit that hold equal bytes; those that differ in their layers' numbers are one.
 *
 * @param names the names, with {@link NameEdit#ANY_NUMBER} for numbers; at least two
 * @param count how often they were found, in all load units
 * @param example one such set of names as it is
 */
public record EqualNames(List<String> names, long count, List<String> example)
    implements Serializable {

  /** Copies the lists, so that the value can't change. */
  public EqualNames {
    names = List.copyOf(names);
    example = List.copyOf(example);
  }

  /** One set of names. */
  public static EqualNames of(List<String> names) {
    return new EqualNames(
        names.stream().map(NameEdit::withoutNumbers).distinct().sorted().toList(), 1, names);
  }

  /** Those of several load units, each set once, in the order in which they come. */
  public static List<EqualNames> together(Collection<EqualNames> found) {
    Map<List<String>, EqualNames> byNames = new LinkedHashMap<>();
    found.forEach(
        one ->
            byNames.merge(
                one.names(),
                one,
                (a, b) -> new EqualNames(a.names(), a.count() + b.count(), a.example())));
    return new ArrayList<>(byNames.values());
  }
}
