package org.shardmend.storage;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** Opens the store that a location lies in. */
public final class Stores {
  private Stores() {}

  /**
   * The store of {@code location}: the JDK's for what is mounted, Hadoop's for all else.
   *
   * @throws IOException when Hadoop has no file system for the scheme, or can't reach it; the
   *     message says what to add
   */
  public static Store open(Location location, Configuration configuration) throws IOException {
    return location.isFile() ? new LocalStore() : HadoopStore.open(location, configuration);
  }

  /** The same with settings that have travelled: they are read only where they are needed. */
  public static Store open(Location location, HadoopSettings settings) throws IOException {
    return location.isFile()
        ? new LocalStore()
        : HadoopStore.open(location, settings.configuration());
  }
}
