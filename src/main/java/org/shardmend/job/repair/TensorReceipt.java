package org.shardmend.job.repair;

import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Action;
import org.shardmend.safetensors.Shape;

/**
 * What a task did with one tensor: what the audit is built from. Of a tensor that several ranks
 * read under names of their own there is one a rank and name.
 *
 * @param unit the load unit that sees it so
 * @param name the name in the source
 * @param target the name in the target; empty when the tensor was dropped
 * @param action what was done
 * @param rule the rule that decided; empty when none did
 * @param reason why; empty for KEEP
 * @param dtype the type's token
 * @param shape the dimensions
 * @param sourceBegin first byte in the source, relative to its data section
 * @param targetBegin first byte in the target, relative to its data section; −1 when dropped
 * @param bytes size of the data
 * @param storedKey the key under which the headers have it, where that is none of its names; empty
 *     where it is
 * @param digest digest of the bytes as read from the source; empty when they were not read
 */
record TensorReceipt(
    UnitId unit,
    String name,
    String target,
    Action action,
    String rule,
    String reason,
    String dtype,
    Shape shape,
    long sourceBegin,
    long targetBegin,
    long bytes,
    String storedKey,
    String digest) {

  /** Whether it is gone; a name alone doesn't tell, since the format allows an empty one. */
  boolean dropped() {
    return action == Action.DROP;
  }

  /** The key that the source's header has for it. */
  String sourceKey() {
    return storedKey.isEmpty() ? name : storedKey;
  }

  /** The key that the target's header has for it; empty when it was dropped from there. */
  String targetKey() {
    return storedKey.isEmpty() ? target : storedKey;
  }
}
