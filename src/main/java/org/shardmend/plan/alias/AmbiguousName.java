package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.rules.NameEdit;

/**
 * A name that may stand for one of several, and nothing shows for which; those that differ in their
 * layers' numbers are one.
 *
 * @param from the name that a load unit holds, with {@link NameEdit#ANY_NUMBER} for numbers
 * @param to those that it may stand for, likewise, sorted
 * @param count how often this was found, in all load units
 * @param example one such name as it is
 */
public record AmbiguousName(String from, List<String> to, long count, String example)
    implements Serializable {

  /** Copies the list, so that the value can't change. */
  public AmbiguousName {
    to = List.copyOf(to);
  }

  /** One name. */
  static AmbiguousName of(String from, Collection<String> to) {
    return new AmbiguousName(
        NameEdit.withoutNumbers(from),
        to.stream().map(NameEdit::withoutNumbers).distinct().sorted().toList(),
        1,
        from);
  }

  private record Names(String from, List<String> to) {}

  /** Those of several load units, each once, in the order in which they come. */
  public static List<AmbiguousName> together(Collection<AmbiguousName> found) {
    Map<Names, AmbiguousName> byNames = new LinkedHashMap<>();
    found.forEach(
        one ->
            byNames.merge(
                new Names(one.from(), one.to()),
                one,
                (a, b) -> new AmbiguousName(a.from, a.to, a.count + b.count, a.example)));
    return new ArrayList<>(byNames.values());
  }
}
