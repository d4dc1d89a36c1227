package org.shardmend.job.plan;

import java.io.Serializable;

/**
 * What a repair writes anew besides the tensors' names.
 *
 * @param config whether module names in config.json and its like follow the tensors' names
 * @param index whether the index of a Hugging Face model is written from the shards' own headers
 * @param format what {@code __metadata__.format} of a Hugging Face model's shards is set to; empty
 *     where it stays as it is
 */
public record Rewrites(boolean config, boolean index, String format) implements Serializable {
  /** Nothing. */
  public static final Rewrites NONE = new Rewrites(false, false, "");

  /** The same, and the configs. */
  public Rewrites withConfig() {
    return new Rewrites(true, index, format);
  }

  /** The same, and the index. */
  public Rewrites withIndex() {
    return new Rewrites(config, true, format);
  }

  /** The same, and the format. */
  public Rewrites withFormat(String value) {
    return new Rewrites(config, index, value);
  }

  /** These, as what makes two repairs the same. */
  public String canonical() {
    return config
        + (index ? ", rewrite-index" : "")
        + (format.isEmpty() ? "" : ", set-format " + format);
  }
}
