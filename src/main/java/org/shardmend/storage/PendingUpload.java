package org.shardmend.storage;

import java.io.Serializable;
import java.util.List;

/**
 * A shard whose parts are all uploaded, and which becomes visible when the driver completes it.
 *
 * @param path where it is going to be
 * @param upload the store's handle of the upload, in hexadecimal
 * @param parts the store's handles of the parts, in hexadecimal, from part 1
 * @param bytes the length of all parts
 */
public record PendingUpload(String path, String upload, List<String> parts, long bytes)
    implements Serializable {
  /** What is left to do for a file that its own writer has made visible: nothing. */
  public static final PendingUpload NONE = new PendingUpload("", "", List.of(), 0);

  /** Copies the list. */
  public PendingUpload {
    parts = List.copyOf(parts);
  }
}
