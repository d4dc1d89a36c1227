package org.shardmend.storage;

import java.io.IOException;
import java.util.OptionalLong;

/** A store that is full, or a quota that is used up. */
public final class NoSpaceException extends IOException {
  private static final long serialVersionUID = 1L;

  private final long neededBytes;
  private final long freeBytes;

  /**
   * @param location what was being written
   * @param neededBytes what was still to be written, in bytes
   * @param freeBytes what the store says is left, in bytes; empty when it doesn't say
   * @param cause what the store threw
   */
  public NoSpaceException(
      Location location, long neededBytes, OptionalLong freeBytes, IOException cause) {
    super(
        "No space left to write %s: at least %d bytes are needed, %s. Free some or choose another place, then run again."
            .formatted(
                location,
                neededBytes,
                freeBytes.isPresent()
                    ? freeBytes.getAsLong() + " bytes are free"
                    : "how many are free is unknown"),
        cause);
    this.neededBytes = neededBytes;
    this.freeBytes = freeBytes.orElse(-1);
  }

  /** What was still to be written, in bytes. */
  public long neededBytes() {
    return neededBytes;
  }

  /** What the store says is left, in bytes, where it says so. */
  public OptionalLong freeBytes() {
    return freeBytes < 0 ? OptionalLong.empty() : OptionalLong.of(freeBytes);
  }
}
