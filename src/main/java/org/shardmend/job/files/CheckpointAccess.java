package org.shardmend.job.files;

import java.io.IOException;
import java.io.Serializable;
import org.shardmend.storage.HadoopSettings;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * How a task on an executor reaches a place: the location, and the settings to open it with.
 *
 * @param location a checkpoint's directory, or another place
 * @param hadoop the driver's Hadoop settings
 */
public record CheckpointAccess(Location location, HadoopSettings hadoop) implements Serializable {

  public Store open() throws IOException {
    return Stores.open(location, hadoop);
  }

  /** The path of a file below the location. */
  public String path(String name) {
    return location.child(name).path();
  }
}
