package org.shardmend.storage;

import java.io.IOException;

/**
 * Each attempt writes the object itself, which appears when its stream is closed, and is aborted
 * when the attempt fails. Of two attempts the later one replaces what the other wrote, by the same
 * bytes; O4 of publish.md.
 */
final class StreamedShards implements ShardIntake {
  private final Store store;
  private final Staging staging;

  StreamedShards(Store store, Staging staging) {
    this.store = store;
    this.staging = staging;
  }

  @Override
  public ShardWriter start(int number, long attempt, String name, long bytes) throws IOException {
    return store.createReplacing(staging.outPath(name));
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
