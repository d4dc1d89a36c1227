package org.shardmend.storage.journal;

import java.io.Serializable;

/**
 * A file that is neither what it was before a repair in place nor what it is after.
 *
 * @param file relative to the checkpoint
 * @param offset of the first sector that is neither, in bytes from the start of the file; {@link
 *     #WHOLE_FILE} when it is not a matter of one sector
 * @param what what is wrong, as the end of a sentence that begins with the file
 */
public record ForeignChange(String file, long offset, String what) implements Serializable {
  /** The value of {@link #offset} when the file as a whole is another. */
  public static final long WHOLE_FILE = -1;
}
