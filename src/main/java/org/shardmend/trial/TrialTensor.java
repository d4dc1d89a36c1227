package org.shardmend.trial;

import org.shardmend.safetensors.Shape;

/**
 * One tensor in a rank's state dict.
 *
 * @param name the name it is saved under
 * @param type the element type
 * @param shape the rank's share of the parameter
 * @param copies whether the tensor-parallel ranks hold the same bytes
 * @param content names the bytes: tensors with equal content have equal bytes
 */
record TrialTensor(String name, ElementType type, Shape shape, Copies copies, String content) {

  /** Which ranks of a pipeline stage hold the same bytes. */
  enum Copies {
    /** All: norms, routers. */
    REPLICATED {
      @Override
      int owner(int tp) {
        return EVERY_RANK;
      }
    },
    /** None: each rank has its own share. */
    SHARDED {
      @Override
      int owner(int tp) {
        return tp;
      }
    };

    private static final int EVERY_RANK = -1;

    /** Equal for ranks that hold the same bytes. */
    abstract int owner(int tp);
  }

  private static final String MODULE_WITH_ALIAS = ".kv_b_proj.";
  private static final String ALIAS = ".attn_mha.kv_b_proj.";

  /** Size of the data in bytes. */
  long bytes() {
    return Math.multiplyExact(shape.elements(), (long) type.bytes());
  }

  /** Whether the first forward gives this tensor a second name. */
  boolean hasAlias() {
    return name.contains(MODULE_WITH_ALIAS);
  }

  /** The same bytes under the alias. */
  TrialTensor alias() {
    return new TrialTensor(aliasName(), type, shape, copies, content);
  }

  /** Other bytes under the alias. */
  TrialTensor differingAlias() {
    return new TrialTensor(aliasName(), type, shape, copies, aliasName());
  }

  private String aliasName() {
    return name.replace(MODULE_WITH_ALIAS, ALIAS);
  }
}
