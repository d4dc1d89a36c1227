package org.shardmend.plan.alias;

import java.io.Serializable;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

/**
 * A tensor whose bytes were read, as far as tensors of several ranks or checkpoints are compared.
 *
 * @param unit whose it is
 * @param shard the file that holds it, relative to the checkpoint
 * @param name the name that the loader sees
 * @param dtype the type's token; empty where {@code digest} is of type and shape, too
 * @param shape the dimensions; none where {@code digest} is of them, too
 * @param matrix whether it has two dimensions or more: norms and biases are alike in all ranks
 * @param zeros whether it holds nothing but zeros, which are equal wherever they are
 * @param digest the same for equal bytes
 */
public record TensorSample(
    UnitId unit,
    String shard,
    String name,
    String dtype,
    Shape shape,
    boolean matrix,
    boolean zeros,
    String digest)
    implements Serializable {

  /**
   * So many are kept of a whole checkpoint; enough for all tensors of any model in use, and what a
   * driver can hold of any other.
   */
  private static final int MOST = 200_000;

  private static final int LEAST_OF_A_SHARD = 64;

  /** Type and shape, for people. */
  public String form() {
    return dtype + " " + shape;
  }

  /** How many to keep of each of so many shards. */
  public static int mostOfAShard(int shards) {
    return Math.max(LEAST_OF_A_SHARD, MOST / Math.max(1, shards));
  }
}
