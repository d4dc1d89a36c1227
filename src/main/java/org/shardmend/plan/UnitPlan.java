package org.shardmend.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * The plan of one load unit, as a scan task returns it: it grows with the number of shards and of
 * changes, not with the number of kept tensors.
 *
 * @param unit the load unit
 * @param shards the unit's shards, in the order of the unit
 * @param open what must be compared before the plan holds, in the order of their targets
 */
public record UnitPlan(UnitId unit, List<ShardPlan> shards, PackedComparisons open)
    implements Serializable {

  /** Copies the lists, so that the value can't change. */
  public UnitPlan {
    shards = List.copyOf(shards);
  }

  /**
   * Plans a load unit from its headers.
   *
   * @param format what {@code __metadata__.format} must be; empty for whatever it is
   * @throws SafetensorsException if a changed header would not be valid
   */
  public static UnitPlan of(
      UnitId unit, List<ScannedShard> scanned, RuleSet rules, String format, UnknownDtypes dtypes)
      throws SafetensorsException {
    UnitDecisions decisions = UnitPlanner.decide(unit, tensorsOf(scanned), rules);
    Map<String, List<Decision>> byShard = byShard(decisions);
    List<ShardPlan> shards = new ArrayList<>();
    for (ScannedShard shard : scanned) {
      List<Decision> changes = byShard.getOrDefault(shard.shard().name(), List.of());
      shards.add(ShardPlan.of(shard, changes, format, dtypes));
    }
    return new UnitPlan(unit, shards, PackedComparisons.of(decisions.open()));
  }

  /**
   * Plans a load unit whose tensors' names stand in a side file.
   *
   * @param tensors every tensor that the unit's loader sees, each with a content key
   */
  public static UnitPlan ofNamesElsewhere(
      UnitId unit, List<ScannedShard> scanned, List<NamedTensor> tensors, RuleSet rules) {
    UnitDecisions decisions = UnitPlanner.decide(unit, tensors, rules);
    Map<String, List<Decision>> byShard = byShard(decisions);
    Map<String, Long> counts =
        tensors.stream().collect(Collectors.groupingBy(NamedTensor::shard, Collectors.counting()));
    List<ShardPlan> shards = new ArrayList<>();
    for (ScannedShard shard : scanned) {
      String name = shard.shard().name();
      shards.add(
          ShardPlan.ofNamesElsewhere(
              shard, counts.getOrDefault(name, 0L), byShard.getOrDefault(name, List.of())));
    }
    return new UnitPlan(unit, shards, PackedComparisons.of(decisions.open()));
  }

  /**
   * The plan after comparisons: whatever met different bytes is refused.
   *
   * @param different the unit's comparisons that found a difference
   */
  public UnitPlan settled(List<ComparisonResult> different) {
    return different.isEmpty()
        ? this
        : new UnitPlan(unit, shards.stream().map(shard -> shard.settled(different)).toList(), open);
  }

  private static Map<String, List<Decision>> byShard(UnitDecisions decisions) {
    return decisions.changes().stream().collect(Collectors.groupingBy(Decision::shard));
  }

  /** The tensors of a load unit as its loader sees them, shard by shard. */
  public static List<NamedTensor> tensorsOf(List<ScannedShard> scanned) {
    List<NamedTensor> tensors = new ArrayList<>();
    scanned.forEach(shard -> addTensors(shard, tensors));
    return tensors;
  }

  private static void addTensors(ScannedShard scanned, List<NamedTensor> tensors) {
    long data = scanned.header().dataBegin();
    for (TensorEntry entry : scanned.header().tensors()) {
      tensors.add(
          new NamedTensor(
              scanned.shard().name(),
              entry.name(),
              entry.dtype(),
              entry.shape(),
              data + entry.begin(),
              data + entry.end(),
              "",
              false));
    }
  }
}
