package org.shardmend.safetensors;

/** What to do with an element type whose size we do not know. */
public enum UnknownDtypes {
  /** Refuse the header, as the reference reader does. */
  REFUSE,
  /**
   * Carry such a tensor's bytes through: its offsets must fit between its neighbors', but nothing
   * can be said about its shape.
   */
  ALLOW
}
