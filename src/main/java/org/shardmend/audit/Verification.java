package org.shardmend.audit;

import java.util.Locale;

/** How far what was written has been checked by reading it back. */
public enum Verification {
  /** Not read back. */
  NONE,
  /** Length, header, plan and loader's contract were checked; no data was read. */
  HEADER,
  /** The data was read back too, and its digest is the source's. */
  FULL;

  /** The word in the table: {@code none}, {@code header} or {@code full}. */
  public String token() {
    return name().toLowerCase(Locale.ROOT);
  }
}
