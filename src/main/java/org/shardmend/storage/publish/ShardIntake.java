package org.shardmend.storage.publish;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.shardmend.storage.MultipartUploads;
import org.shardmend.storage.PendingUpload;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/**
 * How a shard comes from the task that writes it into the result: the task writes, and the driver
 * takes in what the attempts that succeeded have written.
 */
public sealed interface ShardIntake extends Closeable
    permits StagedShards, UploadedShards, StreamedShards {

  /** The way that the store has. */
  static ShardIntake of(Store store, Staging staging) throws IOException {
    if (store.traits().atomicRename()) {
      return new StagedShards(store, staging);
    }
    Optional<MultipartUploads> uploads = store.uploads(staging.outDirectory());
    return uploads.isPresent()
        ? new UploadedShards(uploads.get(), staging)
        : new StreamedShards(store, staging);
  }

  /**
   * Starts a shard, in a task.
   *
   * @param number the shard's number in the plan
   * @param attempt unique among all attempts of this run
   * @param name the shard's name in the result
   * @param bytes how long it is going to be
   */
  ShardWriter start(int number, long attempt, String name, long bytes) throws IOException;

  /**
   * Takes a shard in, on the driver, and keeps its receipt.
   *
   * @param pending what the attempt's {@link ShardWriter#pending()} gave
   */
  void take(ShardReceipt receipt, PendingUpload pending) throws IOException;

  /**
   * Gives up what attempts have begun that never came to an end, on the driver. Only while no task
   * writes.
   */
  void discardUnfinished() throws IOException;
}
