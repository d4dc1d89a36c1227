package org.shardmend.audit;

import java.io.Serializable;
import java.time.Duration;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.Strategy;

/**
 * What became of one weight file.
 *
 * @param runId the run
 * @param shard the file in the source, relative to the checkpoint
 * @param targetShard the file in the output, relative to it
 * @param unit the load unit; {@code -1} for ranks that the layout does not have, or that share the
 *     file
 * @param part the part number; −1 when the layout has none
 * @param strategy how the file came to its repaired form
 * @param bytes sizes, and what was read and written
 * @param counts how many tensors the file had, and what became of them
 * @param digest the shard's digest, in lower-case hex digits; empty when its data was not read
 * @param time how long the task worked on this file
 * @param executor the executor that did it, {@code driver} for the driver
 */
public record ShardRow(
    RunId runId,
    String shard,
    String targetShard,
    UnitId unit,
    int part,
    Strategy strategy,
    Bytes bytes,
    Counts counts,
    String digest,
    Duration time,
    String executor)
    implements Serializable {

  /**
   * A shard's sizes, all in bytes.
   *
   * @param source size of the file in the source
   * @param target size of the file in the output
   * @param header size of the header in the output, its 8 length bytes included
   * @param read bytes read from storage for this shard
   * @param written bytes written to storage for this shard
   */
  public record Bytes(long source, long target, long header, long read, long written)
      implements Serializable {}

  /**
   * A shard's tensors.
   *
   * @param tensors in the source
   * @param renamed of them, given another name
   * @param dropped of them, left out
   */
  public record Counts(long tensors, long renamed, long dropped) implements Serializable {}
}
