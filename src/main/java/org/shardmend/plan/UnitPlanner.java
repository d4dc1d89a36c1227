package org.shardmend.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleSet;

/**
 * Decides what becomes of the tensors of one load unit: a pure function of their names, types,
 * shapes and the rules, and of comparison results where names meet.
 *
 * <p>The decision is per load unit, because the canonical twin of an alias may lie in another part
 * file of the same rank. A drop needs proof: either equal content keys, or a {@link Comparison}
 * that has read the bytes. Where the proof fails the names are refused, because no rule can tell
 * which bytes are right.
 */
public final class UnitPlanner {
  private static final Comparator<Decision> BY_PLACE =
      Comparator.comparing(Decision::shard).thenComparing(Decision::tensor);

  private final UnitId unit;
  private final RuleSet rules;
  private final List<Decision> changes = new ArrayList<>();
  private final List<Comparison> open = new ArrayList<>();

  private UnitPlanner(UnitId unit, RuleSet rules) {
    this.unit = unit;
    this.rules = rules;
  }

  /**
   * The decisions on {@code tensors}, as they stand if every open comparison finds equal bytes.
   *
   * @param tensors every tensor that the unit's loader sees, in any order
   */
  public static UnitDecisions decide(UnitId unit, List<NamedTensor> tensors, RuleSet rules) {
    UnitPlanner planner = new UnitPlanner(unit, rules);
    planner.decide(tensors);
    planner.changes.sort(BY_PLACE);
    return new UnitDecisions(unit, planner.changes, planner.open, tensors.size());
  }

  /**
   * {@code decisions} after the bytes were read: whatever took part in a comparison that found a
   * difference is refused, all else stands.
   */
  public static List<Decision> settle(List<Decision> decisions, List<ComparisonResult> results) {
    Map<Meeting, ComparisonResult> different =
        results.stream()
            .filter(result -> result.difference().isPresent())
            .collect(
                Collectors.toMap(
                    result -> new Meeting(result.unit(), result.target()), result -> result));
    return decisions.stream()
        .map(
            decision -> {
              ComparisonResult result =
                  different.get(new Meeting(decision.unit(), decision.target()));
              return result == null || decision.action() == Action.REFUSE
                  ? decision
                  : decision.refused(differs(result));
            })
        .toList();
  }

  private void decide(List<NamedTensor> tensors) {
    Map<String, NamedTensor> byName = new HashMap<>(tensors.size() * 2);
    Map<String, List<NamedTensor>> repeated = new TreeMap<>();
    for (NamedTensor tensor : tensors) {
      NamedTensor first = byName.putIfAbsent(tensor.name(), tensor);
      if (first != null) {
        repeated.computeIfAbsent(tensor.name(), name -> listOf(first)).add(tensor);
      }
    }
    repeated.values().forEach(this::refuseRepeated);

    Map<String, List<Claim>> claims = new TreeMap<>();
    for (NamedTensor tensor : byName.values()) {
      if (!repeated.containsKey(tensor.name())) {
        NameOutcome outcome = rules.outcome(tensor.name());
        if (outcome instanceof NameOutcome.Renamed renamed) {
          claims
              .computeIfAbsent(renamed.target(), target -> new ArrayList<>())
              .add(new Claim(tensor, renamed.rule()));
        } else if (outcome instanceof NameOutcome.Refused refused) {
          add(tensor, "", Action.REFUSE, refused.rule(), refused.reason());
        }
      }
    }
    claims.forEach((target, aliases) -> decide(target, byName.get(target), aliases));
  }

  private static List<NamedTensor> listOf(NamedTensor first) {
    List<NamedTensor> list = new ArrayList<>();
    list.add(first);
    return list;
  }

  private void refuseRepeated(List<NamedTensor> copies) {
    String places =
        copies.stream().map(NamedTensor::shard).sorted().collect(Collectors.joining(" and "));
    for (NamedTensor copy : copies) {
      add(
          copy,
          "",
          Action.REFUSE,
          "",
          "this name is stored more than once in the load unit, in "
              + places
              + ": a loader fails when it reads it a second time; remove the file that does not belong here");
    }
  }

  /**
   * Decides on the aliases that claim {@code target}.
   *
   * @param canonical the tensor that has the name already, or null
   */
  private void decide(String target, NamedTensor canonical, List<Claim> aliases) {
    aliases.sort(Comparator.comparing(claim -> claim.tensor().name()));
    if (canonical == null && aliases.size() == 1) {
      add(aliases.get(0), target, Action.RENAME, "the load unit holds this alias only");
      return;
    }
    NamedTensor staying = canonical == null ? aliases.get(0).tensor() : canonical;
    List<NamedTensor> meeting = new ArrayList<>(List.of(staying));
    aliases.stream().map(Claim::tensor).filter(t -> !t.equals(staying)).forEach(meeting::add);
    for (NamedTensor tensor : meeting) {
      if (!alike(staying, tensor)) {
        String reason = contradiction(target, staying, tensor);
        aliases.forEach(alias -> add(alias, target, Action.REFUSE, reason));
        return;
      }
    }
    for (Claim alias : aliases) {
      if (alias.tensor().equals(staying)) {
        add(
            alias,
            target,
            Action.RENAME,
            "several aliases of one name with equal bytes: this one stays");
      } else {
        add(
            alias,
            target,
            Action.DROP,
            "equal bytes stay under '%s', from %s".formatted(target, staying.shard()));
      }
    }
    if (staying.bytes() > 0 && staying.contentKey().isEmpty()) {
      open.add(new Comparison(unit, target, meeting));
    }
  }

  private static boolean alike(NamedTensor left, NamedTensor right) {
    return left.extra() == right.extra()
        && left.sameForm(right)
        && left.contentKey().equals(right.contentKey());
  }

  private static String contradiction(String target, NamedTensor staying, NamedTensor other) {
    return "'%s' in %s and '%s' in %s both stand for '%s', %s; no rule can tell which is right"
        .formatted(
            staying.name(),
            staying.shard(),
            other.name(),
            other.shard(),
            target,
            difference(staying, other));
  }

  private static String difference(NamedTensor staying, NamedTensor other) {
    if (staying.extra() != other.extra()) {
      return "one as a plain attribute and one as part of the state dict";
    }
    return staying.sameForm(other)
        ? "with other bytes (stored keys %s and %s)"
            .formatted(staying.contentKey(), other.contentKey())
        : "with another type or shape (%s and %s)".formatted(staying.form(), other.form());
  }

  private static String differs(ComparisonResult result) {
    return "'%s' has other bytes than what else stands for '%s' in this load unit, first at byte %d of"
            .formatted(result.differingTensor(), result.target(), result.firstDifference())
        + " the tensor; no rule can tell which is right";
  }

  private void add(Claim claim, String target, Action action, String reason) {
    add(claim.tensor(), target, action, claim.rule(), reason);
  }

  private void add(NamedTensor tensor, String target, Action action, String rule, String reason) {
    changes.add(new Decision(unit, tensor.shard(), tensor.name(), target, action, rule, reason));
  }

  private record Claim(NamedTensor tensor, String rule) {}

  private record Meeting(UnitId unit, String target) {}
}
