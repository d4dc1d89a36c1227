package org.shardmend.storage;

/** How a file is going to be read: a hint that changes the cost, never the bytes. */
public enum ReadPattern {
  /** From one end to the other, with gaps at most. */
  SEQUENTIAL,
  /** A few bytes here and there, such as a header. */
  RANDOM
}
