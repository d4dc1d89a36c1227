package org.shardmend.checkpoint.modules;

import java.io.Serializable;

/**
 * A module before and after a repair.
 *
 * @param before its name before
 * @param after its name after, which may be the same
 */
public record ModuleRenaming(String before, String after) implements Serializable {

  /** Of the module that a tensor is a parameter of: its name without the last segment. */
  public static ModuleRenaming ofTensor(String before, String after) {
    return new ModuleRenaming(module(before), module(after));
  }

  private static String module(String tensor) {
    int dot = tensor.lastIndexOf('.');
    return dot < 0 ? "" : tensor.substring(0, dot);
  }
}
