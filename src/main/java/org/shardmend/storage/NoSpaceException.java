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
   * @param neededBytes what was still to be written, in bytes; 0 when that is not known
   * @param freeBytes what the store says is left, in bytes; empty when it doesn't say
   * @param cause what the store threw
   */
  public NoSpaceException(
      Location location, long neededBytes, OptionalLong freeBytes, IOException cause) {
    super(
        StorageFailure.usedUpQuota(cause)
            .map(quota -> ofQuota(location, quota))
            .orElseGet(() -> ofStore(location, neededBytes, freeBytes)),
        cause);
    this.neededBytes = neededBytes;
    this.freeBytes = freeBytes.orElse(-1);
  }

  /** The store's free bytes say nothing of a quota, and some count more than bytes. */
  private static String ofQuota(Location location, Throwable quota) {
    return "A quota is used up, so that %s can't be written: %s. Raise it, free some or choose another place, then run again."
        .formatted(location, StorageFailure.reason(location, quota));
  }

  private static String ofStore(Location location, long needed, OptionalLong free) {
    boolean enough = free.isPresent() && free.getAsLong() > needed;
    return "No space left to write %s: %s%s%s. Free some or choose another place, then run again."
        .formatted(
            location,
            needed > 0 ? "at least %d bytes are needed, ".formatted(needed) : "",
            free.isPresent()
                ? "%d bytes are free".formatted(free.getAsLong())
                : "how many are free is unknown",
            enough ? ", but may be reserved, or there is no room for more files (df -i)" : "");
  }

  /** What was still to be written, in bytes; 0 when that was not known. */
  public long neededBytes() {
    return neededBytes;
  }

  /** What the store says is left, in bytes, where it says so. */
  public OptionalLong freeBytes() {
    return freeBytes < 0 ? OptionalLong.empty() : OptionalLong.of(freeBytes);
  }
}
