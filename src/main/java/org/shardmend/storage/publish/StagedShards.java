package org.shardmend.storage.publish;

import java.io.IOException;
import org.shardmend.storage.PendingUpload;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;

/** Each attempt writes a file of its own, and the driver moves it; S2 and S3 of publish.md. */
final class StagedShards implements ShardIntake {
  private final Store store;
  private final Staging staging;

  StagedShards(Store store, Staging staging) {
    this.store = store;
    this.staging = staging;
  }

  @Override
  public ShardWriter start(int number, long attempt, String name, long bytes) throws IOException {
    return store.create(staging.workPath(number, attempt), bytes);
  }

  @Override
  public void take(ShardReceipt receipt, PendingUpload pending) throws IOException {
    staging.promote(receipt);
  }

  /** S2: the files of dead attempts are removed by the run that opens the directory again. */
  @Override
  public void discardUnfinished() {}

  @Override
  public void close() {}
}
