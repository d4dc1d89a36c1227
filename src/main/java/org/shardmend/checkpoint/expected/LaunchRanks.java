package org.shardmend.checkpoint.expected;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.ServekitInfo;

/**
 * The ranks of a launch, as an expected state names them, beside those that a checkpoint has files
 * of. A layout without stages or ranks counts as stage or rank 0.
 */
public final class LaunchRanks {
  private final List<UnitId> expected;
  private final SortedSet<UnitId> present = new TreeSet<>();
  private final boolean hasStages;
  private final Optional<ServekitInfo> servekit;

  /**
   * The ranks of a launch, and those that the checkpoint has.
   *
   * @param expected of which ranks something is expected; one that is absent stands for every one
   */
  public LaunchRanks(List<UnitId> expected, Checkpoint checkpoint) {
    this(expected, checkpoint.units().stream().map(LoadUnit::id).toList(), checkpoint.servekit());
  }

  LaunchRanks(List<UnitId> expected, Collection<UnitId> units, Optional<ServekitInfo> servekit) {
    this.expected = List.copyOf(expected);
    this.servekit = servekit;
    this.hasStages = units.stream().anyMatch(unit -> unit.ppRank().isPresent());
    units.forEach(unit -> present.add(counted(unit)));
  }

  /**
   * The ranks that are expected and have no files. What is said of every stage, or of every rank,
   * is expected of each that the checkpoint has.
   */
  public List<UnitId> withoutFiles() {
    SortedSet<Integer> stages = numbers(present, UnitId::pp);
    SortedSet<Integer> ranks = numbers(present, UnitId::tp);
    SortedSet<UnitId> missing = new TreeSet<>();
    for (UnitId of : expected) {
      for (int stage : of.pp() == UnitId.ABSENT ? stages : Set.of(of.pp())) {
        for (int rank : of.tp() == UnitId.ABSENT ? ranks : Set.of(of.tp())) {
          if (!present.contains(new UnitId(stage, rank))) {
            boolean isNamedByStage = hasStages || of.pp() != UnitId.ABSENT;
            missing.add(isNamedByStage ? new UnitId(stage, rank) : UnitId.ofTp(rank));
          }
        }
      }
    }
    return List.copyOf(missing);
  }

  /**
   * Whether the launch has no process that reads the files of {@code unit}, of which the expected
   * state says nothing. Where servekit.json gives the sizes, they decide. Without it, a stage is
   * beyond the launch that comes after all expected ones and repeats what is expected of them, and
   * a rank that comes after all expected ones and is not in every stage. Of anything else the
   * expectation may have been lost.
   *
   * @param repeatsOthers whether the unit holds only names that are expected of other units
   */
  public boolean isBeyond(UnitId unit, boolean repeatsOthers) {
    UnitId of = counted(unit);
    OptionalInt stages = servekit.map(ServekitInfo::ppSize).orElse(OptionalInt.empty());
    OptionalInt ranks = servekit.map(ServekitInfo::tpSize).orElse(OptionalInt.empty());
    if (stages.isPresent() && ranks.isPresent()) {
      return of.pp() >= stages.getAsInt() || of.tp() >= ranks.getAsInt();
    }
    if (of.pp() > lastExpected(UnitId::pp)) {
      return repeatsOthers;
    }
    return of.tp() > lastExpected(UnitId::tp)
        && numbers(present, UnitId::pp).stream()
            .anyMatch(stage -> !present.contains(new UnitId(stage, of.tp())));
  }

  /** The highest number; every one where some unit is said to be for all. */
  private int lastExpected(ToIntFunction<UnitId> number) {
    boolean isForAll =
        expected.stream().anyMatch(ranks -> number.applyAsInt(ranks) == UnitId.ABSENT);
    return isForAll ? Integer.MAX_VALUE : expected.stream().mapToInt(number).max().orElse(0);
  }

  private static SortedSet<Integer> numbers(
      Collection<UnitId> units, ToIntFunction<UnitId> number) {
    SortedSet<Integer> numbers = new TreeSet<>();
    units.forEach(unit -> numbers.add(number.applyAsInt(unit)));
    return numbers;
  }

  private static UnitId counted(UnitId unit) {
    return new UnitId(unit.stage(), Math.max(unit.tp(), 0));
  }
}
