package org.shardmend.checkpoint;

/** How much a finding matters. */
public enum Severity {
  /** Worth knowing; nothing needs to be done. */
  INFO,
  /** The checkpoint may not load, or not everywhere. */
  WARNING,
  /** The checkpoint is not what it claims to be, and is not repaired. */
  ERROR
}
