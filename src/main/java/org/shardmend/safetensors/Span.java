package org.shardmend.safetensors;

import java.io.Serializable;

/**
 * A run of bytes that a new shard takes over from its source, unchanged.
 *
 * @param sourceBegin first byte, relative to the start of the source's data section
 * @param sourceEnd one past the last byte, relative to the start of the source's data section
 * @param targetBegin where the first byte goes, relative to the start of the target's data section
 */
public record Span(long sourceBegin, long sourceEnd, long targetBegin) implements Serializable {

  /** Length of the run, in bytes. */
  public long bytes() {
    return sourceEnd - sourceBegin;
  }
}
