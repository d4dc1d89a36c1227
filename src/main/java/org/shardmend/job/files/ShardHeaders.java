package org.shardmend.job.files;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.HeaderScan;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.spark.ShardTaskException;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreCheckpointFiles;

/**
 * Reads headers within a task. A malformed shard is not a failed task, which Spark would try again
 * for nothing, but an answer.
 */
public final class ShardHeaders {
  private final CheckpointFiles files;
  private final UnknownDtypes dtypes;
  private final LongConsumer meter;

  /**
   * Headers of {@code shards}, whose listing says all that needs to be known of them.
   *
   * @param store the checkpoint's; the caller closes it
   * @param meter told the length of each header
   */
  public ShardHeaders(
      Store store,
      CheckpointAccess access,
      List<Shard> shards,
      UnknownDtypes dtypes,
      LongConsumer meter) {
    this.files = HeaderGate.before(new StoreCheckpointFiles(store, access.location(), shards));
    this.dtypes = dtypes;
    this.meter = meter;
  }

  /**
   * What a header is.
   *
   * @param shard empty where it is malformed
   * @param problems what is wrong with it; empty where it is well
   */
  public record Answer(Optional<ScannedShard> shard, List<Finding> problems) {}

  /** A tensor's few bytes, which are metered like headers. */
  byte[] value(Shard shard, long offset, int bytes) throws IOException {
    byte[] value = files.read(shard.name(), offset, bytes);
    meter.accept(value.length);
    return value;
  }

  /**
   * Reads one.
   *
   * @throws ShardTaskException when the file can't be read
   */
  public Answer read(UnitId unit, Shard shard) throws IOException {
    try {
      ScannedShard scanned = HeaderScan.read(files, unit, shard, dtypes);
      meter.accept(scanned.header().dataBegin());
      return new Answer(Optional.of(scanned), List.of());
    } catch (CheckpointException e) {
      if (e.reason() != CheckpointException.Reason.REFUSED) {
        throw new ShardTaskException(e.code(), shard.name(), e.getMessage(), e);
      }
      return new Answer(Optional.empty(), e.problems());
    }
  }
}
