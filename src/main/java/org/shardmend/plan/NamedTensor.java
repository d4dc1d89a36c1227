package org.shardmend.plan;

import java.io.Serializable;
import org.shardmend.safetensors.Shape;

/**
 * A tensor as one load unit sees it: a name, and where the bytes are.
 *
 * @param shard the shard, relative to the checkpoint
 * @param name the name that the loader sees
 * @param dtype the type's token
 * @param shape the dimensions
 * @param begin first byte, relative to the start of the file
 * @param end one past the last byte, relative to the start of the file
 * @param contentKey a key that is equal exactly when type, shape and bytes are (presharded stores
 *     one); empty where the layout has none
 * @param extra whether it is a plain attribute and no part of the state dict (presharded has such)
 */
public record NamedTensor(
    String shard,
    String name,
    String dtype,
    Shape shape,
    long begin,
    long end,
    String contentKey,
    boolean extra)
    implements Serializable {

  /** Size of the data, in bytes. */
  public long bytes() {
    return end - begin;
  }

  /** Whether type and shape are equal. */
  public boolean sameForm(NamedTensor other) {
    return dtype.equals(other.dtype) && shape.equals(other.shape);
  }

  /** Type and shape, for people: {@code BF16 [2, 64]}. */
  public String form() {
    return dtype + " " + shape;
  }
}
