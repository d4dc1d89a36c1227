package org.shardmend.storage.lock;

import java.io.IOException;
import org.shardmend.storage.Location;

/** A path that leads to one place on the driver and to another on an executor. */
public final class NotSamePlaceException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param directory where the driver had written
   * @param host the host that does not see it
   */
  public NotSamePlaceException(Location directory, String host) {
    super(
        "%s is not the same place on host %s as on the driver: a file that the driver wrote there is not seen. Mount the same file system under this path on every host, or run with --master 'local[*]' on one host that has it. Nothing was changed."
            .formatted(directory, host));
  }
}
