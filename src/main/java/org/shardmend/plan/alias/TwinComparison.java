package org.shardmend.plan.alias;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.UnitId;

/**
 * What the bytes of a healthy checkpoint of the same shape say about those of another: whether the
 * two are saves of the same weights, and then which tensors lie under another's name or with
 * another rank.
 */
public final class TwinComparison {
  private final long compared;
  private final boolean sameWeights;
  private final List<Exchanged> exchanged;
  private final List<Misplaced> misplaced;
  private final List<TensorSample> differing;

  /**
   * A tensor that holds the bytes of another name.
   *
   * @param tensor the tensor
   * @param holds the name under which the healthy checkpoint's unit has these bytes
   */
  public record Exchanged(TensorSample tensor, String holds) {}

  /**
   * A tensor that holds the bytes of another rank.
   *
   * @param tensor the tensor
   * @param holds the rank that has these bytes under the same name in the healthy checkpoint
   */
  public record Misplaced(TensorSample tensor, UnitId holds) {}

  private record Key(UnitId unit, String name) {}

  private TwinComparison(
      long compared,
      boolean sameWeights,
      List<Exchanged> exchanged,
      List<Misplaced> misplaced,
      List<TensorSample> differing) {
    this.compared = compared;
    this.sameWeights = sameWeights;
    this.exchanged = List.copyOf(exchanged);
    this.misplaced = List.copyOf(misplaced);
    this.differing = List.copyOf(differing);
  }

  /**
   * Compares.
   *
   * @param samples of the checkpoint in question
   * @param healthy of the other one, with digests of the same kind
   */
  public static TwinComparison of(
      Collection<TensorSample> samples, Collection<TensorSample> healthy) {
    Map<Key, TensorSample> byName = new HashMap<>();
    Map<String, List<TensorSample>> byDigest = new HashMap<>();
    for (TensorSample sample : healthy) {
      byName.put(new Key(sample.unit(), sample.name()), sample);
      byDigest.computeIfAbsent(sample.digest(), d -> new ArrayList<>()).add(sample);
    }
    List<Exchanged> exchanged = new ArrayList<>();
    List<Misplaced> misplaced = new ArrayList<>();
    List<TensorSample> differing = new ArrayList<>();
    long compared = 0;
    Balance matrices = new Balance();
    Balance all = new Balance();
    for (TensorSample sample : samples) {
      TensorSample twin = byName.get(new Key(sample.unit(), sample.name()));
      if (twin == null || !twin.form().equals(sample.form())) {
        continue;
      }
      compared++;
      boolean known = true;
      if (!twin.digest().equals(sample.digest())) {
        List<TensorSample> same =
            sample.zeros() ? List.of() : byDigest.getOrDefault(sample.digest(), List.of());
        Optional<String> name = otherName(sample, same);
        Optional<UnitId> rank = otherRank(sample, same);
        name.ifPresent(holds -> exchanged.add(new Exchanged(sample, holds)));
        if (name.isEmpty()) {
          rank.ifPresent(holds -> misplaced.add(new Misplaced(sample, holds)));
        }
        known = name.isPresent() || rank.isPresent();
        if (!known) {
          differing.add(sample);
        }
      }
      all.count(known);
      if (sample.matrix()) {
        matrices.count(known);
      }
    }
    boolean same = matrices.isEmpty() ? all.leansToKnown() : matrices.leansToKnown();
    return new TwinComparison(compared, same, exchanged, misplaced, differing);
  }

  /** How many have bytes that the healthy checkpoint has somewhere, and how many have not. */
  private static final class Balance {
    private long known;
    private long unknown;

    void count(boolean isKnown) {
      if (isKnown) {
        known++;
      } else {
        unknown++;
      }
    }

    boolean isEmpty() {
      return known + unknown == 0;
    }

    boolean leansToKnown() {
      return known >= unknown;
    }
  }

  /** Empty also where several names have the bytes: what is there so often belongs to nobody. */
  private static Optional<String> otherName(TensorSample sample, List<TensorSample> same) {
    List<String> names =
        same.stream()
            .filter(twin -> twin.unit().equals(sample.unit()) && twin.form().equals(sample.form()))
            .map(TensorSample::name)
            .toList();
    return names.size() == 1 ? Optional.of(names.get(0)) : Optional.empty();
  }

  private static Optional<UnitId> otherRank(TensorSample sample, List<TensorSample> same) {
    return same.stream()
        .filter(twin -> twin.name().equals(sample.name()) && twin.form().equals(sample.form()))
        .map(TensorSample::unit)
        .findFirst();
  }

  /** How many tensors have the same name and form in both. */
  public long compared() {
    return compared;
  }

  /**
   * Whether the two are saves of the same weights: of at least half of the matrices that were
   * compared, the healthy one has the bytes somewhere.
   */
  public boolean sameWeights() {
    return sameWeights;
  }

  /** Tensors that hold the bytes of another name of their rank. */
  public List<Exchanged> exchanged() {
    return exchanged;
  }

  /** Tensors that hold the bytes of another rank. */
  public List<Misplaced> misplaced() {
    return misplaced;
  }

  /** Tensors that hold bytes which the healthy checkpoint has nowhere. */
  public List<TensorSample> differing() {
    return differing;
  }
}
