package org.shardmend.job;

import org.shardmend.plan.Action;
import org.shardmend.safetensors.Shape;

/**
 * What a task did with one tensor: what the audit is built from.
 *
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
 * @param digest digest of the bytes as read from the source; empty when they were not read
 */
record TensorReceipt(
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
    String digest) {}
