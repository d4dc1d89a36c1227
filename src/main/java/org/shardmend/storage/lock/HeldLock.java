package org.shardmend.storage.lock;

import java.io.Closeable;
import java.io.IOException;

/**
 * What keeps other runs off what this run changes, until it is closed. Somebody may break it: so
 * whoever changes something asks right before each step; sentence L6 of {@code publish.md}.
 */
public interface HeldLock extends Closeable {

  /** Holds nothing, for journals that are only read. */
  HeldLock NONE =
      new HeldLock() {
        @Override
        public void requireHeld() {}

        @Override
        public void close() {}
      };

  /**
   * Looks whether this run still holds it.
   *
   * @throws LockedException when it doesn't
   */
  void requireHeld() throws IOException;
}
