package org.shardmend.job.verify;

/**
 * How many tensors of ranks were compared with slices of the original model's.
 *
 * @param compared how many
 * @param inPlace how many are the slice of their own rank
 * @param notComparable how many match no slice: they were fused, cast or quantized
 */
public record SliceCount(long compared, long inPlace, long notComparable) {

  /** No original model was given, or nothing in it could be compared. */
  static final SliceCount NONE = new SliceCount(0, 0, 0);
}
