package org.shardmend.checkpoint;

import java.io.Serializable;

/**
 * Something about a checkpoint that its user should know.
 *
 * @param code stable, in kebab case
 * @param severity how much it matters
 * @param shard the file concerned, relative to the checkpoint; empty when it is no single file
 * @param tensor the tensor concerned; empty when it is no single tensor
 * @param message for people: what, where, and what to do; where the engine would raise an error,
 *     the engine's own words
 */
public record Finding(String code, Severity severity, String shard, String tensor, String message)
    implements Serializable {

  /** A finding about a file, or about the whole checkpoint. */
  public Finding(String code, Severity severity, String shard, String message) {
    this(code, severity, shard, "", message);
  }

  /** Something that is wrong with a checkpoint, as {@code verify} reports it: a fault. */
  public static Finding fault(String code, String shard, String tensor, String message) {
    return new Finding(code, Severity.ERROR, shard, tensor, message);
  }
}
