package org.shardmend.audit;

import java.io.Serializable;

/**
 * Where a tensor lies in a checkpoint, and under which name.
 *
 * @param shard the weight file, relative to the checkpoint
 * @param tensor the name in that file
 * @param begin first byte, relative to the start of the shard's data section
 * @param end one past the last byte, relative to the start of the shard's data section
 */
public record TensorPlace(String shard, String tensor, long begin, long end)
    implements Serializable {
  /** No place at all: where a dropped or refused tensor went. */
  public static final TensorPlace NONE = new TensorPlace("", "", 0, 0);

  /**
   * A place.
   *
   * @throws IllegalArgumentException if it ends before it begins
   */
  public TensorPlace {
    if (end < begin) {
      throw new IllegalArgumentException(
          "Tensor %s in %s ends at byte %d, before it begins at %d."
              .formatted(tensor, shard, end, begin));
    }
  }

  /** Size of the tensor's data, in bytes. */
  public long bytes() {
    return end - begin;
  }

  /** Whether this is anywhere: false only for {@link #NONE}. */
  public boolean exists() {
    return !equals(NONE);
  }
}
