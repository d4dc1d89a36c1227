package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.rules.NameEdit;

/**
 * How often a name was met; those that differ in their layers' numbers are one.
 *
 * @param name the name, with {@link NameEdit#ANY_NUMBER} for numbers
 * @param count how many such names there are, in all load units
 * @param example one of them as it is
 */
public record NameCount(String name, long count, String example) implements Serializable {

  /** One name. */
  public static NameCount of(String name) {
    return new NameCount(NameEdit.withoutNumbers(name), 1, name);
  }

  /** Each name once, in the order in which they come. */
  public static List<NameCount> together(Collection<NameCount> counts) {
    Map<String, NameCount> byName = new LinkedHashMap<>();
    counts.forEach(
        one ->
            byName.merge(
                one.name(), one, (a, b) -> new NameCount(a.name, a.count + b.count, a.example)));
    return new ArrayList<>(byName.values());
  }
}
