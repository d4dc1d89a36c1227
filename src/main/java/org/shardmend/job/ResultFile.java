package org.shardmend.job;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.storage.Location;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/** Writes a small file to wherever the user wants it; one that is there is replaced. */
public final class ResultFile {
  private ResultFile() {}

  /**
   * Writes {@code content} to {@code target}.
   *
   * @throws JobException USAGE when {@code target} is no location, FAILED when it can't be written
   */
  public static void write(String target, byte[] content) throws JobException {
    Configuration hadoop = DriverHadoop.configuration();
    Location location = Locations.parse(target, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      if (store.stat(location.path()).isPresent()) {
        store.delete(location.path());
      }
      try (ShardWriter writer = store.create(location.path())) {
        writer.write(ByteBuffer.wrap(content));
        writer.sync();
        writer.complete();
      }
    } catch (IOException e) {
      throw JobException.failed(
          "result-not-written",
          "Cannot write the result to %s: %s".formatted(location, e.getMessage()),
          e);
    }
  }
}
