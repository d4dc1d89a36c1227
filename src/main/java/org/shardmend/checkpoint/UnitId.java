package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Comparator;
import java.util.OptionalInt;

/**
 * Which process a load unit is for.
 *
 * @param pp the pipeline stage ({@code pp_rank}); {@link #ABSENT} where the layout names none
 * @param tp the tensor-parallel rank ({@code tp_rank}); {@link #ABSENT} where the layout names none
 */
public record UnitId(int pp, int tp) implements Serializable, Comparable<UnitId> {

  /** A rank that the layout does not name. */
  public static final int ABSENT = -1;

  /** The one unit of a layout without ranks. */
  public static final UnitId NONE = new UnitId(ABSENT, ABSENT);

  private static final Comparator<UnitId> BY_STAGE_THEN_RANK =
      Comparator.comparingInt(UnitId::pp).thenComparingInt(UnitId::tp);

  /** Checks that no rank is below {@link #ABSENT}. */
  public UnitId {
    if (pp < ABSENT || tp < ABSENT) {
      throw new IllegalArgumentException("A rank cannot be negative: pp " + pp + ", tp " + tp);
    }
  }

  /** The unit of a rank where there are no pipeline stages. */
  public static UnitId ofTp(int tp) {
    return new UnitId(ABSENT, tp);
  }

  /** The pipeline stage, where the layout names one. */
  public OptionalInt ppRank() {
    return pp == ABSENT ? OptionalInt.empty() : OptionalInt.of(pp);
  }

  /** The tensor-parallel rank, where the layout names one. */
  public OptionalInt tpRank() {
    return tp == ABSENT ? OptionalInt.empty() : OptionalInt.of(tp);
  }

  /** The pipeline stage as the engine counts it: 0 where there is only one. */
  public int stage() {
    return Math.max(pp, 0);
  }

  /**
   * Whether {@code unit} is this one, where an absent rank here stands for every one, and an absent
   * one there counts as the first.
   */
  public boolean includes(UnitId unit) {
    return (pp == ABSENT || pp == unit.stage()) && (tp == ABSENT || tp == Math.max(unit.tp(), 0));
  }

  /** For people: {@code pp 1, tp 0}, {@code tp 3}, or {@code all ranks}. */
  public String label() {
    if (tp == ABSENT) {
      return pp == ABSENT ? "all ranks" : "pp " + pp;
    }
    return pp == ABSENT ? "tp " + tp : "pp " + pp + ", tp " + tp;
  }

  @Override
  public int compareTo(UnitId other) {
    return BY_STAGE_THEN_RANK.compare(this, other);
  }
}
