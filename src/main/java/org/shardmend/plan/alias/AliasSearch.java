package org.shardmend.plan.alias;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.plan.NamedTensor;
import org.shardmend.rules.NameEdit;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleSet;

/**
 * Looks in one load unit for names that should be others: those that hold the bytes of another
 * name, and those that a loader does not expect while it misses others. What the active rules put
 * right is left out. A pure function of names, types, shapes and of which tensors are equal.
 */
public final class AliasSearch {
  /** Tensors with fewer bytes are equal too often by chance. */
  private static final long LEAST_BYTES = 16;

  private final List<NamedTensor> tensors;
  private final RuleSet active;
  private final Optional<Map<String, ExpectedTensor>> expected;
  private final MissingNames names;

  /**
   * A search.
   *
   * @param tensors what the unit holds; plain attributes are left out
   * @param active the active rules
   * @param expected what its loader expects, where that is known
   */
  public AliasSearch(
      List<NamedTensor> tensors, RuleSet active, Optional<Map<String, ExpectedTensor>> expected) {
    this.tensors = tensors.stream().filter(tensor -> !tensor.extra()).toList();
    this.active = active;
    this.expected = expected;
    this.names = names();
  }

  /**
   * Names that may hold equal bytes: of one type and shape, each with another. Where the layout has
   * content keys, they are equal; elsewhere the bytes are to be read.
   */
  public List<List<NamedTensor>> alike() {
    Map<String, List<NamedTensor>> groups = new TreeMap<>();
    for (NamedTensor tensor : tensors) {
      if (tensor.bytes() >= LEAST_BYTES) {
        String form = tensor.form() + " " + tensor.contentKey();
        groups.computeIfAbsent(form, f -> new ArrayList<>()).add(tensor);
      }
    }
    return groups.values().stream().filter(AliasSearch::hasSeveralNames).toList();
  }

  private static boolean hasSeveralNames(List<NamedTensor> group) {
    return group.stream().map(NamedTensor::name).distinct().count() > 1;
  }

  /**
   * Of tensors that hold the same bytes, the names that are not what the layers have in common
   * anyway (a buffer that every layer has), sorted; empty when there is nothing to say.
   */
  public List<String> namesOf(List<NamedTensor> equal) {
    List<String> names = equal.stream().map(NamedTensor::name).distinct().sorted().toList();
    long kinds = names.stream().map(NameEdit::withoutNumbers).distinct().count();
    return kinds < 2 || handled(names) ? List.of() : names;
  }

  private boolean handled(List<String> names) {
    Set<String> results = names.stream().map(this::planned).collect(Collectors.toSet());
    return results.size() == 1;
  }

  private String planned(String name) {
    NameOutcome outcome = active.outcome(name);
    return outcome.fold(() -> name, NameOutcome.Renamed::target, refused -> name);
  }

  /**
   * Which of names with equal bytes is right: the only one that is expected; without an expected
   * state, the one that results from another by leaving segments out.
   */
  public List<NamePair> directed(List<String> equal) {
    if (expected.isPresent()) {
      List<String> right = equal.stream().filter(expected.get()::containsKey).toList();
      return right.size() == 1
          ? equal.stream()
              .filter(name -> !name.equals(right.get(0)))
              .map(name -> new NamePair(name, right.get(0)))
              .toList()
          : List.of();
    }
    String shortest =
        equal.stream()
            .min(
                Comparator.comparingInt((String name) -> NameEdit.segments(name).size())
                    .thenComparing(Comparator.naturalOrder()))
            .orElseThrow();
    return equal.stream()
        .map(name -> new NamePair(name, shortest))
        .filter(pair -> pair.edit().leavesOut() && pair.edit().keepsMost())
        .toList();
  }

  /**
   * Pairs of an unexpected name and a missing one whose bytes decide most, if a healthy checkpoint
   * has those of the missing one; none without an expected state.
   *
   * @param most how many names of a kind, which differ in their layers' numbers only
   */
  public List<NamePair> toCompare(int most) {
    return names.toCompare(most);
  }

  /**
   * Unexpected names with the missing ones that they stand for; nothing without an expected state.
   *
   * @param contents what is known of their bytes
   */
  public Pairing renamed(NameContents contents) {
    return names.pair(contents);
  }

  private MissingNames names() {
    Map<String, ExpectedTensor> wanted = expected.orElse(Map.of());
    Map<String, ExpectedTensor> missing = new HashMap<>(wanted);
    tensors.forEach(tensor -> missing.remove(tensor.name()));
    List<NamedTensor> unexpected = new ArrayList<>();
    for (NamedTensor tensor : tensors) {
      String planned = planned(tensor.name());
      if (!tensor.name().equals(planned) && wanted.containsKey(planned)) {
        missing.remove(planned);
      } else if (expected.isPresent() && !wanted.containsKey(tensor.name()) && tensor.bytes() > 0) {
        unexpected.add(tensor);
      }
    }
    return new MissingNames(unexpected, missing);
  }
}
