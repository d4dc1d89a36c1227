package org.shardmend.checkpoint.finding;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.safetensors.TensorEntry;

/**
 * Says what does not survive on vLLM of a checkpoint that does not say which engine saved it: vLLM
 * itself writes no servekit.json. Names that only one engine gives tell which it was.
 */
public final class VllmCheck implements UnitCheck {
  private static final long serialVersionUID = 1L;

  /** Modules that vLLM's wrappers register: {@code layers/mla.py}, {@code fused_moe/layer.py}. */
  private static final Set<String> OF_VLLM = Set.of("mla_attn", "_shared_experts", "_gate");

  /** Modules that SGLang's attention has. */
  private static final Set<String> OF_SGLANG = Set.of("attn_mha", "attn_mqa");

  private final List<String> reasons;

  /**
   * A check of a checkpoint that is quantized in a way that vLLM does not load back.
   *
   * @param reasons what happens on vLLM
   */
  public VllmCheck(List<String> reasons) {
    this.reasons = List.copyOf(reasons);
  }

  @Override
  public List<Finding> check(List<ScannedShard> shards, SmallReads reads) {
    if (first(shards, OF_SGLANG).isPresent()) {
      return List.of();
    }
    String told =
        first(shards, OF_VLLM)
            .map(name -> "vLLM wrote this (only vLLM calls a module '" + name + "'): ")
            .orElse("if vLLM wrote this (--engine says which engine did): ");
    return reasons.stream().map(reason -> QuantizationFindings.finding(told + reason)).toList();
  }

  private static Optional<String> first(List<ScannedShard> shards, Set<String> modules) {
    return shards.stream()
        .flatMap(shard -> shard.header().tensors().stream())
        .map(TensorEntry::name)
        .flatMap(name -> Stream.of(name.split("\\.")))
        .filter(modules::contains)
        .findFirst();
  }
}
