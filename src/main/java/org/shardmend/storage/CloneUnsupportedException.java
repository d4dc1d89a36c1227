package org.shardmend.storage;

import java.io.IOException;

/** A volume that can't make a second file of the same blocks. Copying is the way then. */
public final class CloneUnsupportedException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param location the file that was to be cloned
   * @param reason what the system said
   */
  public CloneUnsupportedException(Location location, String reason) {
    super("%s cannot be cloned: %s. Copy it instead.".formatted(location, reason));
  }
}
