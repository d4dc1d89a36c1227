package org.shardmend.storage.publish;

import java.io.IOException;
import org.shardmend.storage.Location;

/** The target of a repair is there already. */
public final class TargetExistsException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param target what is there
   */
  public TargetExistsException(Location target) {
    super(
        "%s exists. Nothing was written there. Choose another --output, or remove it first."
            .formatted(target));
  }
}
