package org.shardmend.job;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.storage.Location;
import org.shardmend.storage.SmallFiles;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/** Reads expected states from wherever they are. */
public final class ExpectedStates {
  private static final int MAX_FILE_BYTES = 1 << 30;

  private ExpectedStates() {}

  /**
   * The expected state in a file.
   *
   * @throws JobException USAGE when there is no such file, or it holds no expected state
   */
  public static ExpectedState read(String file) throws JobException {
    Configuration hadoop = new Configuration();
    Location location = Locations.parse(file, hadoop);
    try (Store store = Stores.open(location, hadoop)) {
      return ExpectedState.read(SmallFiles.read(store, location.path(), MAX_FILE_BYTES), file);
    } catch (CheckpointException e) {
      throw JobException.usage(e.code(), e.getMessage(), e);
    } catch (IOException e) {
      throw JobException.usage(
          "unreadable-expected-state",
          "Cannot read the expected state %s: %s".formatted(location, e.getMessage()),
          e);
    }
  }
}
