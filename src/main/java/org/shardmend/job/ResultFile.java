package org.shardmend.job;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.storage.Location;
import org.shardmend.storage.SmallFiles;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/** Writes a small file to wherever the user wants it; one that is there is replaced in one step. */
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
      SmallFiles.replace(store, location.path(), content);
    } catch (IOException e) {
      throw JobException.failed(
          "result-not-written",
          "Cannot write the result to %s: %s".formatted(location, e.getMessage()),
          e);
    }
  }
}
