package org.shardmend.plan;

import java.util.List;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;

/** Plans of one shard of 1,000 bytes, 100 of them header. */
final class ShardPlans {
  static final long HEADER = 100;
  static final long BYTES = 1000;

  private static final UnitId UNIT = new UnitId(0, 0);
  private static final String ALIAS = "m.attn_mha.kv_b_proj.weight";
  private static final String CANONICAL = "m.kv_b_proj.weight";

  private ShardPlans() {}

  static ShardPlan unchanged() {
    return plan(List.of(), BYTES, HEADER, true);
  }

  static ShardPlan renamedToShorter() {
    return plan(List.of(decision(Action.RENAME)), 990, 90, true);
  }

  /** Loses a tensor of 400 bytes. */
  static ShardPlan dropping() {
    return plan(List.of(decision(Action.DROP)), 560, 60, false);
  }

  private static ShardPlan plan(
      List<Decision> changes, long targetBytes, long targetHeader, boolean fits) {
    return new ShardPlan(
        UNIT,
        new Shard("a.safetensors", 0, BYTES, 0),
        "digest",
        HEADER,
        ActionCounts.of(2, changes),
        PackedDecisions.of(changes),
        targetBytes,
        targetHeader,
        false,
        fits,
        "");
  }

  private static Decision decision(Action action) {
    return new Decision(UNIT, "a.safetensors", ALIAS, CANONICAL, action, "mla-kv-b-proj#0", "");
  }
}
