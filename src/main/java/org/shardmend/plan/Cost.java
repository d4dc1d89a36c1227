package org.shardmend.plan;

/**
 * What a strategy would move.
 *
 * @param reads bytes read from storage, headers included
 * @param writes bytes written to storage, journal included
 * @param extraSpace bytes that storage holds more than before while both copies exist
 */
public record Cost(long reads, long writes, long extraSpace) {

  /** The sum of both. */
  public Cost plus(Cost other) {
    return new Cost(reads + other.reads, writes + other.writes, extraSpace + other.extraSpace);
  }
}
