package org.shardmend.plan.alias;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.SourceModel;
import org.shardmend.plan.NamedTensor;
import org.shardmend.rules.NameEdit;

/**
 * Which ranks hold the slice of the original model's tensors that is theirs: rank 0 the first, and
 * so on. Fused, stacked, padded, cast and quantized tensors match nowhere, and say nothing.
 */
public final class RankSlices {
  private final List<Misplaced> misplaced = new ArrayList<>();
  private long inPlace;
  private long elsewhere;
  private long nowhere;

  /**
   * A tensor of one name in all ranks of a stage, and the one that it was cut from.
   *
   * @param ranks in the order of the ranks
   * @param whole of the original model
   * @param slicing how it was cut
   */
  public record Cut(List<TensorSample> ranks, NamedTensor whole, Slicing slicing)
      implements Serializable {
    /** Copies the list, so that the value can't change. */
    public Cut {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * A file of a rank of which every tensor that was compared is another rank's, or nobody's.
   *
   * @param unit whose file it should be
   * @param shard the file
   * @param holds the rank whose slices it holds
   * @param tensors how many of them
   * @param example one of their names
   */
  public record Misplaced(UnitId unit, String shard, int holds, int tensors, String example) {}

  private record File(UnitId unit, String shard) {}

  private RankSlices() {}

  /**
   * The tensors to compare: those that are plain slices by their shapes, the smallest first, of as
   * many kinds as there are.
   *
   * @param samples of all ranks
   * @param source the original model's tensors
   * @param most how many of each file of a stage's first rank
   */
  public static List<Cut> choose(
      Collection<TensorSample> samples, Collection<NamedTensor> source, int most) {
    Map<String, NamedTensor> wholes = byName(source);
    SortedMap<Integer, SortedMap<Integer, Map<String, TensorSample>>> stages = new TreeMap<>();
    for (TensorSample sample : samples) {
      if (!sample.zeros()) {
        stages
            .computeIfAbsent(sample.unit().stage(), stage -> new TreeMap<>())
            .computeIfAbsent(sample.unit().tp(), tp -> new LinkedHashMap<>())
            .put(sample.name(), sample);
      }
    }
    List<Cut> chosen = new ArrayList<>();
    for (SortedMap<Integer, Map<String, TensorSample>> ranks : stages.values()) {
      if (List.copyOf(ranks.keySet()).equals(IntStream.range(0, ranks.size()).boxed().toList())) {
        chosen.addAll(choose(List.copyOf(ranks.values()), wholes, most));
      }
    }
    return chosen;
  }

  /** Without wrappers around the names; two that are then one are not looked at. */
  private static Map<String, NamedTensor> byName(Collection<NamedTensor> source) {
    Map<String, NamedTensor> byName = new HashMap<>();
    Set<String> several = new HashSet<>();
    for (NamedTensor tensor : source) {
      String name = SourceModel.unwrapped(tensor.name());
      if (byName.put(name, tensor) != null) {
        several.add(name);
      }
    }
    byName.keySet().removeAll(several);
    return byName;
  }

  private static List<Cut> choose(
      List<Map<String, TensorSample>> ranks, Map<String, NamedTensor> wholes, int most) {
    Map<String, List<Cut>> byShard = new TreeMap<>();
    for (TensorSample first : ranks.get(0).values()) {
      cut(first, ranks, wholes)
          .ifPresent(
              cut -> byShard.computeIfAbsent(first.shard(), s -> new ArrayList<>()).add(cut));
    }
    return byShard.values().stream().flatMap(cuts -> fewOf(cuts, most).stream()).toList();
  }

  private static Optional<Cut> cut(
      TensorSample first, List<Map<String, TensorSample>> ranks, Map<String, NamedTensor> wholes) {
    NamedTensor whole = wholes.get(SourceModel.unwrapped(first.name()));
    List<TensorSample> samples = new ArrayList<>();
    for (Map<String, TensorSample> rank : ranks) {
      TensorSample sample = rank.get(first.name());
      if (sample != null && sample.form().equals(first.form())) {
        samples.add(sample);
      }
    }
    if (whole == null || !whole.dtype().equals(first.dtype()) || samples.size() < ranks.size()) {
      return Optional.empty();
    }
    return Slicing.of(first.shape(), whole.shape(), whole.bytes())
        .filter(slicing -> slicing.parts() == ranks.size())
        .map(slicing -> new Cut(samples, whole, slicing));
  }

  private static List<Cut> fewOf(List<Cut> cuts, int most) {
    List<Cut> smallestFirst =
        cuts.stream().sorted(Comparator.comparingLong(cut -> cut.whole().bytes())).toList();
    Set<String> kinds = new HashSet<>();
    Set<Cut> ordered = new LinkedHashSet<>();
    smallestFirst.stream()
        .filter(cut -> kinds.add(NameEdit.withoutNumbers(cut.whole().name())))
        .forEach(ordered::add);
    ordered.addAll(smallestFirst);
    return ordered.stream().limit(most).toList();
  }

  /**
   * What the slices show.
   *
   * @param cuts what was compared
   * @param slices of each, the digests of the whole tensor's parts, in the order of the ranks
   */
  public static RankSlices judge(List<Cut> cuts, List<List<String>> slices) {
    RankSlices judged = new RankSlices();
    Map<File, List<Misplaced>> wrong = new LinkedHashMap<>();
    Set<File> right = new HashSet<>();
    for (int i = 0; i < cuts.size(); i++) {
      List<TensorSample> ranks = cuts.get(i).ranks();
      for (int rank = 0; rank < ranks.size(); rank++) {
        TensorSample sample = ranks.get(rank);
        File file = new File(sample.unit(), sample.shard());
        int holds = slices.get(i).indexOf(sample.digest());
        if (slices.get(i).get(rank).equals(sample.digest())) {
          judged.inPlace++;
          right.add(file);
        } else if (holds >= 0 && holds == slices.get(i).lastIndexOf(sample.digest())) {
          judged.elsewhere++;
          wrong
              .computeIfAbsent(file, f -> new ArrayList<>())
              .add(new Misplaced(sample.unit(), sample.shard(), holds, 1, sample.name()));
        } else {
          judged.nowhere++;
        }
      }
    }
    wrong.keySet().removeAll(right);
    wrong.values().forEach(ofFile -> judged.misplaced.addAll(together(ofFile)));
    return judged;
  }

  private static Collection<Misplaced> together(List<Misplaced> ofFile) {
    Map<Integer, Misplaced> byRank = new TreeMap<>();
    ofFile.forEach(
        one ->
            byRank.merge(
                one.holds(),
                one,
                (a, b) ->
                    new Misplaced(a.unit, a.shard, a.holds, a.tensors + b.tensors, a.example)));
    return byRank.values();
  }

  /** The files that hold another rank's slices. */
  public List<Misplaced> misplaced() {
    return List.copyOf(misplaced);
  }

  /** How many tensors of ranks were compared. */
  public long compared() {
    return inPlace + elsewhere + nowhere;
  }

  /** How many hold the slice of their own rank. */
  public long inPlace() {
    return inPlace;
  }

  /** How many match no slice, or several: they can't be compared. */
  public long nowhere() {
    return nowhere;
  }
}
