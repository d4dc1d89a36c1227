package org.shardmend.job;

import java.io.Serializable;

/**
 * What a repair writes anew besides the tensors' names.
 *
 * @param config whether module names in config.json and its like follow the tensors' names
 * @param index whether the index of a Hugging Face model is written from the shards' own headers
 */
public record Rewrites(boolean config, boolean index) implements Serializable {
  /** Nothing. */
  public static final Rewrites NONE = new Rewrites(false, false);

  /** The same, and the configs. */
  public Rewrites withConfig() {
    return new Rewrites(true, index);
  }

  /** The same, and the index. */
  public Rewrites withIndex() {
    return new Rewrites(config, true);
  }

  /** These, as what makes two repairs the same. */
  String canonical() {
    return config + (index ? ", rewrite-index" : "");
  }
}
