package org.shardmend.plan;

/** What becomes of one tensor. */
public enum Action {
  /** Stays as it is. */
  KEEP,
  /** Keeps its bytes, gets another name. */
  RENAME,
  /** Is left out: its bytes are proven to exist under the canonical name in the same load unit. */
  DROP,
  /** Can't be decided safely: the whole checkpoint is refused. */
  REFUSE
}
