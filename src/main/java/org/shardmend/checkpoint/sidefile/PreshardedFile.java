package org.shardmend.checkpoint.sidefile;

import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One weight file of a presharded dump, as checksum.json describes it.
 *
 * @param filename its name in the dump's directory
 * @param sizes the keys that it holds, each with the length of its data in bytes
 */
public record PreshardedFile(String filename, Map<String, Long> sizes) implements Serializable {

  /** Keeps the keys' order. */
  public PreshardedFile {
    sizes = Collections.unmodifiableMap(new LinkedHashMap<>(sizes));
  }
}
