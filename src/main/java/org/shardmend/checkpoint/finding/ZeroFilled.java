package org.shardmend.checkpoint.finding;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Wording;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.TensorEntry;

/** Weights that hold nothing but zeros. What may well be zero is let pass. */
public final class ZeroFilled {
  /** Parts of the names of parameters that are born as zeros, or may be. */
  private static final List<String> MAY_BE_ZERO =
      List.of("bias", "scale", "zero", "g_idx", "lora_b", "lora_embedding_b");

  private ZeroFilled() {}

  /**
   * A finding about a shard's weights that hold zeros only: tensors of two dimensions and more that
   * are no biases, scales or zero points. A norm or another vector may be zero.
   *
   * @param shard the shard, relative to the checkpoint
   * @param zeroFilled its tensors that hold zeros only
   */
  public static Optional<Finding> finding(String shard, Collection<TensorEntry> zeroFilled) {
    List<String> weights =
        zeroFilled.stream()
            .filter(ZeroFilled::isWeight)
            .map(tensor -> DisplayName.of(tensor.name()))
            .toList();
    return weights.isEmpty()
        ? Optional.empty()
        : Optional.of(
            FindingCode.ZERO_FILLED.finding(
                shard,
                shard
                    + ": "
                    + Wording.count(weights.size(), "weight holds", "weights hold")
                    + " nothing but zeros ("
                    + Wording.examples(weights)
                    + "). The model answers, and speaks nonsense. Compare with the original model;"
                    + " unless it is so there, save the model again."));
  }

  private static boolean isWeight(TensorEntry tensor) {
    String name = tensor.name().toLowerCase(Locale.ROOT);
    return tensor.bytes() > 0
        && tensor.shape().rank() >= 2
        && MAY_BE_ZERO.stream().noneMatch(name::contains);
  }
}
