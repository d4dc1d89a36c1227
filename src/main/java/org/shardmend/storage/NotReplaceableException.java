package org.shardmend.storage;

import java.io.IOException;

/**
 * A file whose name this user may not give to another file with the same rights. Running again does
 * not help, as it would after any other failure of storage.
 */
public final class NotReplaceableException extends IOException {
  private static final long serialVersionUID = 1L;

  NotReplaceableException(String why) {
    super(why);
  }

  NotReplaceableException(String why, Throwable cause) {
    super(why, cause);
  }
}
