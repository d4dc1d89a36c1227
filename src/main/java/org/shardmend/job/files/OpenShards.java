package org.shardmend.job.files;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;

/** A checkpoint's shards, each opened when it is first read and kept open until the end. */
final class OpenShards implements Closeable {
  private final CheckpointAccess access;
  private final Store store;
  private final Map<String, RangeReader> readers = new HashMap<>();

  private OpenShards(CheckpointAccess access) throws IOException {
    this.access = access;
    this.store = access.open();
  }

  static OpenShards of(CheckpointAccess access) throws IOException {
    return new OpenShards(access);
  }

  RangeReader get(String shard) throws IOException {
    RangeReader reader = readers.get(shard);
    if (reader == null) {
      reader = store.openForRead(access.path(shard));
      readers.put(shard, reader);
    }
    return reader;
  }

  @Override
  public void close() throws IOException {
    for (RangeReader reader : readers.values()) {
      reader.close();
    }
    store.close();
  }
}
