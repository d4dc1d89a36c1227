package org.shardmend.plan.alias;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.rules.NameEdit;

/**
 * Finds files of one TP rank that lie under another rank's name, too: they hold the same bytes in
 * every matrix of a kind that is sharded. A kind is sharded between two ranks when it differs
 * between them in another layer or stage. What all ranks hold alike (norms, gates, replicated heads
 * of a cache) differs nowhere, and says nothing.
 */
public final class IdenticalRanks {
  /** With one kind alone, equal bytes may be meant so: some layers replicate what others shard. */
  private static final int LEAST_KINDS = 2;

  private IdenticalRanks() {}

  /**
   * Two ranks of one stage that hold the same bytes.
   *
   * @param one the lower rank
   * @param other the higher one
   * @param shards the files of {@code other} that are concerned, sorted
   * @param tensors how many matrices were compared in them
   * @param example one of their names
   * @param everywhere whether the two hold the same in all stages, so that nothing shows what is
   *     sharded
   */
  public record Pair(
      UnitId one,
      UnitId other,
      List<String> shards,
      int tensors,
      String example,
      boolean everywhere) {
    /** Copies the list, so that the value can't change. */
    public Pair {
      shards = List.copyOf(shards);
    }
  }

  /**
   * The pairs, by stage and rank; of several ranks that hold the same, each with the lowest. Zeros
   * are not looked at.
   */
  public static List<Pair> among(Collection<TensorSample> samples) {
    SortedMap<Integer, SortedMap<UnitId, Map<String, TensorSample>>> stages = new TreeMap<>();
    SortedSet<Integer> ranks = new TreeSet<>();
    for (TensorSample sample : samples) {
      if (sample.matrix() && !sample.zeros()) {
        ranks.add(sample.unit().tp());
        stages
            .computeIfAbsent(sample.unit().stage(), stage -> new TreeMap<>())
            .computeIfAbsent(sample.unit(), unit -> new LinkedHashMap<>())
            .put(sample.name(), sample);
      }
    }
    List<Pair> pairs = new ArrayList<>();
    Set<UnitId> told = new HashSet<>();
    for (int one : ranks) {
      for (int other : ranks.tailSet(one + 1)) {
        for (Pair pair : between(one, other, stages.values())) {
          if (told.add(pair.other())) {
            pairs.add(pair);
          }
        }
      }
    }
    return pairs;
  }

  /** Two tensors of one name and form, of two ranks. */
  private record Compared(TensorSample one, TensorSample other) {
    boolean equal() {
      return one.digest().equals(other.digest());
    }

    String kind() {
      return NameEdit.withoutNumbers(one.name());
    }
  }

  private static List<Pair> between(
      int one, int other, Collection<SortedMap<UnitId, Map<String, TensorSample>>> stages) {
    List<List<Compared>> compared = new ArrayList<>();
    for (SortedMap<UnitId, Map<String, TensorSample>> stage : stages) {
      compared.add(compared(rank(one, stage), rank(other, stage)));
    }
    Set<String> kinds = new HashSet<>();
    Set<String> sharded = new HashSet<>();
    for (List<Compared> ofStage : compared) {
      for (Compared two : ofStage) {
        kinds.add(two.kind());
        if (!two.equal()) {
          sharded.add(two.kind());
        }
      }
    }
    boolean everywhere = sharded.isEmpty() && kinds.size() >= LEAST_KINDS;
    List<Pair> pairs = new ArrayList<>();
    for (List<Compared> ofStage : compared) {
      List<Compared> telling =
          everywhere
              ? ofStage
              : ofStage.stream().filter(two -> sharded.contains(two.kind())).toList();
      List<Compared> identical = inIdenticalShards(telling);
      if (!identical.isEmpty()) {
        pairs.add(pair(identical, everywhere));
      }
    }
    return pairs;
  }

  private static Map<String, TensorSample> rank(
      int tp, SortedMap<UnitId, Map<String, TensorSample>> stage) {
    return stage.entrySet().stream()
        .filter(unit -> unit.getKey().tp() == tp)
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(Map.of());
  }

  private static List<Compared> compared(
      Map<String, TensorSample> one, Map<String, TensorSample> other) {
    List<Compared> compared = new ArrayList<>();
    one.forEach(
        (name, sample) -> {
          TensorSample twin = other.get(name);
          if (twin != null && twin.form().equals(sample.form())) {
            compared.add(new Compared(sample, twin));
          }
        });
    return compared;
  }

  /** Those in files of which all that should differ is equal. */
  private static List<Compared> inIdenticalShards(List<Compared> telling) {
    Map<String, List<Compared>> byShard = new HashMap<>();
    telling.forEach(
        two -> byShard.computeIfAbsent(two.other().shard(), s -> new ArrayList<>()).add(two));
    return telling.stream().filter(two -> areEqual(byShard.get(two.other().shard()))).toList();
  }

  private static boolean areEqual(List<Compared> ofShard) {
    return ofShard.stream().allMatch(Compared::equal)
        && ofShard.stream().map(Compared::kind).distinct().count() >= LEAST_KINDS;
  }

  private static Pair pair(List<Compared> identical, boolean everywhere) {
    Compared first = identical.get(0);
    return new Pair(
        first.one().unit(),
        first.other().unit(),
        identical.stream().map(two -> two.other().shard()).distinct().sorted().toList(),
        identical.size(),
        first.other().name(),
        everywhere);
  }
}
