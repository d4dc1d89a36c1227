package org.shardmend.checkpoint;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/** Which of the numbers from 0 on are missing in a set, as ranges: their count can be hostile. */
public final class IntegerGaps {

  /** The numbers from {@code first} to {@code last}, both included. */
  public record Gap(int first, int last) {
    /** {@code 3}, or {@code 3 to 5}. */
    @Override
    public String toString() {
      return first == last ? Integer.toString(first) : first + " to " + last;
    }

    /** Whether it is one number only. */
    public boolean isSingle() {
      return first == last;
    }
  }

  private IntegerGaps() {}

  /** The gaps in {@code present} below {@code size}; {@code present} holds no negative number. */
  public static List<Gap> in(SortedSet<Integer> present, int size) {
    List<Gap> gaps = new ArrayList<>();
    int next = 0;
    for (int value : present) {
      if (value >= size) {
        break;
      }
      if (value > next) {
        gaps.add(new Gap(next, value - 1));
      }
      next = value + 1;
    }
    if (next < size) {
      gaps.add(new Gap(next, size - 1));
    }
    return gaps;
  }
}
