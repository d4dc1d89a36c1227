package org.shardmend.storage.journal;

import java.io.Serializable;
import org.shardmend.storage.bytes.FileImage;

/**
 * One file that a repair in place changes.
 *
 * @param number the entry's number, unique in its journal
 * @param kind how it changes
 * @param name the file, relative to the checkpoint, symbolic links resolved
 * @param before what it was; {@link FileImage#ABSENT} where {@code kind} is ADD
 * @param after what it will be
 * @param stored SHA-256 of the entry's own file, in hexadecimal, where {@code kind} is PATCH; empty
 *     otherwise
 */
public record JournalEntry(
    int number, Kind kind, String name, FileImage before, FileImage after, String stored)
    implements Serializable {

  /** How a file changes. */
  public enum Kind {
    /** Its header is overwritten by one of the same length. */
    PATCH,
    /** Another file takes its name. */
    REPLACE,
    /** It was not there. */
    ADD
  }
}
