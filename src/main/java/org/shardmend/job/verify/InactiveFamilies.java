package org.shardmend.job.verify;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;

/**
 * The built-in families that could be active and are not: a name that the loader misses may be what
 * one of them makes of a name that it does not expect.
 */
final class InactiveFamilies implements Serializable {
  private static final long serialVersionUID = 1L;

  private final RuleSet active;
  private final ArrayList<RuleFamily> families;
  private final String layout;

  private InactiveFamilies(RuleSet active, ArrayList<RuleFamily> families, String layout) {
    this.active = active;
    this.families = families;
    this.layout = layout;
  }

  /** Those for {@code layout} that are none of {@code active}. */
  static InactiveFamilies besides(Collection<RuleFamily> active, Layout layout) {
    List<String> names = active.stream().map(RuleFamily::name).toList();
    ArrayList<RuleFamily> off = new ArrayList<>(BuiltinRules.all());
    off.removeIf(family -> names.contains(family.name()) || !family.isFor(layout.id()));
    return new InactiveFamilies(RuleSet.of(List.copyOf(active), layout.id()), off, layout.id());
  }

  /**
   * What cures the names of one unit. Of two families that would do the same, one is named.
   *
   * @param unexpected what the unit holds and its loader does not expect
   * @param missing what the loader expects and the unit does not hold
   */
  NameCures cures(Collection<String> unexpected, Set<String> missing) {
    if (unexpected.isEmpty() || missing.isEmpty()) {
      return NameCures.none();
    }
    Set<String> left = new TreeSet<>(unexpected);
    left.removeIf(name -> becomesOneOf(missing, name, active));
    TreeSet<String> cures = new TreeSet<>();
    for (RuleFamily family : families) {
      RuleSet rules = RuleSet.of(List.of(family), layout);
      if (left.removeIf(name -> becomesOneOf(missing, name, rules))) {
        cures.add(family.name());
      }
    }
    return new NameCures(cures, left.size());
  }

  private static boolean becomesOneOf(Set<String> missing, String name, RuleSet rules) {
    return rules
        .outcome(name)
        .fold(() -> false, renamed -> missing.contains(renamed.target()), refused -> false);
  }
}
