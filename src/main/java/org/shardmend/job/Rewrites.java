package org.shardmend.job;

import java.io.Serializable;

/**
 * What a repair writes anew besides the tensors' names.
 *
 * @param config whether module names in config.json and its like follow the tensors' names
 */
public record Rewrites(boolean config) implements Serializable {
  /** Nothing. */
  public static final Rewrites NONE = new Rewrites(false);

  /** The same, and the configs. */
  public Rewrites withConfig() {
    return new Rewrites(true);
  }

  /** These, as what makes two repairs the same. */
  String canonical() {
    return String.valueOf(config);
  }
}
