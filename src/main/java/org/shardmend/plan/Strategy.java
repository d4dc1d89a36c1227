package org.shardmend.plan;

/** How a shard comes to its repaired form. */
public enum Strategy {
  /** The header is rewritten in place, with the same length; no other byte is touched. */
  PATCH,
  /** The file is cloned by the file system (copy-on-write), then the clone's header is patched. */
  CLONE,
  /** A new file is written: a new header, then the kept data in order. */
  COPY,
  /** The output is another name of the unchanged file: both share their fate. */
  LINK,
  /** Nothing is done: the shard is right where it is. */
  NONE
}
