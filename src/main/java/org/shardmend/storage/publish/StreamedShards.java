package org.shardmend.storage.publish;

import java.io.IOException;
import org.shardmend.storage.PendingUpload;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.protocol.DurableFile;

/**
 * Each attempt writes the object itself, which appears when its stream is closed, and is aborted
 * when the attempt fails. An attempt removes what an earlier one has left, and then only ever makes
 * an object where there is none: one that was given up and wakes up late finds the name taken; O4
 * of publish.md.
 */
public final class StreamedShards implements ShardIntake {
  private final Store store;
  private final Staging staging;

  StreamedShards(Store store, Staging staging) {
    this.store = store;
    this.staging = staging;
  }

  @Override
  public ShardWriter start(int number, long attempt, String name, long bytes) throws IOException {
    String out = staging.outPath(name);
    DurableFile.deleteIfPresent(store, out);
    return store.create(out);
  }

  @Override
  public void take(ShardReceipt receipt, PendingUpload pending) throws IOException {
    staging.keep(receipt);
  }

  /** A stream that was not closed has left nothing. */
  @Override
  public void discardUnfinished() {}

  @Override
  public void close() {}
}
