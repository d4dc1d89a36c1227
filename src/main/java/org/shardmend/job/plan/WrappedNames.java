package org.shardmend.job.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.finding.Wrapper;
import org.shardmend.plan.NamedTensor;
import org.shardmend.rules.RuleSet;

/** How many names of a load unit a wrapper is still in after the active rules, with an example. */
public final class WrappedNames implements Serializable {
  private static final long serialVersionUID = 1L;

  private final EnumMap<Wrapper, Names> byWrapper = new EnumMap<>(Wrapper.class);

  private record Names(long count, String example) implements Serializable {
    Names and(Names other) {
      return new Names(count + other.count, example);
    }
  }

  private WrappedNames() {}

  public static WrappedNames none() {
    return new WrappedNames();
  }

  public static WrappedNames of(List<NamedTensor> tensors, RuleSet rules) {
    WrappedNames wrapped = new WrappedNames();
    for (NamedTensor tensor : tensors) {
      for (Wrapper wrapper : Wrapper.values()) {
        if (wrapper.isIn(tensor.name()) && isLeft(tensor.name(), rules)) {
          wrapped.byWrapper.merge(wrapper, new Names(1, tensor.name()), Names::and);
        }
      }
    }
    return wrapped;
  }

  /** A finding for each wrapper that is in some unit. */
  public static List<Finding> findings(Collection<WrappedNames> units) {
    EnumMap<Wrapper, Names> all = new EnumMap<>(Wrapper.class);
    units.forEach(unit -> unit.byWrapper.forEach((w, names) -> all.merge(w, names, Names::and)));
    List<Finding> findings = new ArrayList<>();
    for (Map.Entry<Wrapper, Names> entry : all.entrySet()) {
      findings.add(entry.getKey().finding(entry.getValue().count(), entry.getValue().example()));
    }
    return findings;
  }

  private static boolean isLeft(String name, RuleSet rules) {
    return rules.outcome(name).fold(() -> true, renamed -> false, refused -> false);
  }
}
