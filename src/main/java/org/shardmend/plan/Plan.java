package org.shardmend.plan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a repair would do to a checkpoint: a value, computed before anything is written, from
 * headers, rules and compared bytes only.
 *
 * @param layout the layout's id
 * @param fingerprint the plan's identity: SHA-256, in hexadecimal
 * @param units how many load units there are
 * @param shards every shard once, in the order of units and parts
 */
public record Plan(String layout, String fingerprint, int units, List<ShardPlan> shards) {

  /** Copies the list, so that the value can't change. */
  public Plan {
    shards = List.copyOf(shards);
  }

  /**
   * The plan of a checkpoint.
   *
   * @param layout the layout's id
   * @param unitPlans every load unit's plan, settled, in the order of their ids
   * @param results the result of every open comparison
   * @param sideFileDigests digests of the side files that carry tensor names, by name
   * @param rulesJson the rules in their canonical JSON
   * @throws IllegalArgumentException if a comparison has no result
   */
  public static Plan of(
      String layout,
      List<UnitPlan> unitPlans,
      ComparisonResults results,
      Map<String, String> sideFileDigests,
      String rulesJson) {
    long open = unitPlans.stream().mapToLong(unit -> unit.open().count()).sum();
    if (open != results.compared()) {
      throw new IllegalArgumentException(
          "%d comparisons are open, but %d have a result".formatted(open, results.compared()));
    }
    Map<String, List<ShardPlan>> byName = new LinkedHashMap<>();
    for (UnitPlan unit : unitPlans) {
      for (ShardPlan shard : unit.shards()) {
        byName.computeIfAbsent(shard.name(), name -> new ArrayList<>()).add(shard);
      }
    }
    List<ShardPlan> shards = byName.values().stream().map(ShardPlan::together).toList();
    String fingerprint =
        Fingerprint.of(
            layout,
            shards,
            sideFileDigests,
            rulesJson,
            unitPlans.stream().map(UnitPlan::open).toList(),
            results);
    return new Plan(layout, fingerprint, unitPlans.size(), shards);
  }

  /** How many tensors each action concerns, over all shards. */
  public ActionCounts counts() {
    return shards.stream().map(ShardPlan::counts).reduce(ActionCounts.NONE, ActionCounts::plus);
  }

  /** All shards' bytes. */
  public long bytes() {
    return shards.stream().mapToLong(shard -> shard.shard().bytes()).sum();
  }

  /** Every decision but KEEP, shard by shard: unpacked as the stream proceeds. */
  public Stream<Decision> changes() {
    return shards.stream()
        .filter(shard -> !shard.counts().nothingToDo())
        .flatMap(shard -> shard.changes().stream());
  }

  /** Every decision that refuses. */
  public Stream<Decision> refusals() {
    return changes().filter(decision -> decision.action() == Action.REFUSE);
  }

  /** True when every tensor and every header stays as it is. */
  public boolean nothingToDo() {
    return counts().nothingToDo() && shards.stream().allMatch(shard -> shard.format().isEmpty());
  }

  /** True when a tensor can't be decided, so that the checkpoint must not be repaired. */
  public boolean refused() {
    return counts().refuse() > 0;
  }
}
