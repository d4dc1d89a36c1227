package org.shardmend.trial;

import java.io.IOException;
import org.shardmend.storage.Location;

/** Writes a model's weight files, and what belongs to them, in one layout. */
interface LayoutWriter {

  /**
   * Writes all files that hold or name tensors.
   *
   * @param directory an existing, empty directory
   * @return the checkpoint's own directory: that one, or one below
   */
  Location write(Location directory) throws IOException;
}
