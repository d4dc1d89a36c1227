package org.shardmend.job.plan;

import java.io.Serializable;

/**
 * What was read to compare tensors with those of a healthy checkpoint.
 *
 * @param tensors how many, on both sides together
 * @param bytes how long they are together
 */
public record ComparedBytes(long tensors, long bytes) implements Serializable {

  /** Nothing. */
  static final ComparedBytes NONE = new ComparedBytes(0, 0);

  ComparedBytes plus(ComparedBytes other) {
    return new ComparedBytes(tensors + other.tensors, bytes + other.bytes);
  }
}
