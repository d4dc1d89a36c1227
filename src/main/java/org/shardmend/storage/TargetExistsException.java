package org.shardmend.storage;

import java.io.IOException;

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
