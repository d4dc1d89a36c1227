package org.shardmend.storage.lock;

import java.io.IOException;
import org.shardmend.checkpoint.OneLine;
import org.shardmend.storage.Location;

/** Another run holds the target, or may: one at a time. */
public final class LockedException extends IOException {
  private static final long serialVersionUID = 1L;

  private LockedException(String message) {
    super(message);
  }

  /** The holder is known, and not proven gone. */
  static LockedException heldBy(LockHolder holder, HolderState state, Location lock) {
    return new LockedException(
        "Locked by %s; %s: %s. Wait until it has ended. To be sure that it has, look on %s ('ps -p %d' there shows nothing, and no other host or container of that name works on this target); then run again with --break-lock."
            .formatted(
                OneLine.of(holder.toString()),
                state.sentence(),
                lock,
                OneLine.of(holder.host()),
                holder.pid()));
  }

  /** The lock file names nobody. */
  static LockedException heldByUnknown(Location lock, String why) {
    return new LockedException(
        "Locked, but the lock file does not say by whom (%s): %s. If it is certain that no other run works on this target, run again with --break-lock."
            .formatted(why, lock));
  }

  /** The lock that this run held is gone, or another run's. */
  static LockedException lost(Location lock, String now) {
    return new LockedException(
        "This run no longer holds its lock %s: %s. Somebody broke it. Nothing more was changed; make sure that one run at a time works on this target, then run again."
            .formatted(lock, OneLine.of(now)));
  }
}
