package org.shardmend.plan;

import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.IndexCheck;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** The names stand in the shards' headers; an index may repeat them. */
final class HeaderNames implements UnitNames {
  private static final long serialVersionUID = 1L;

  /** At most one. */
  private final List<IndexCheck> index;

  private HeaderNames(List<IndexCheck> index) {
    this.index = index;
  }

  /** Without an index. */
  static UnitNames plain() {
    return new HeaderNames(List.of());
  }

  /** With an index. */
  static UnitNames indexed(IndexCheck index) {
    return new HeaderNames(List.of(index));
  }

  @Override
  public List<Finding> problems(List<ScannedShard> shards) {
    return List.of();
  }

  @Override
  public List<Finding> findings(List<ScannedShard> shards) {
    List<Finding> findings = new ArrayList<>();
    for (IndexCheck check : index) {
      shards.forEach(shard -> findings.addAll(check.check(shard)));
    }
    return findings;
  }

  @Override
  public List<NamedTensor> tensors(List<ScannedShard> shards) {
    return UnitPlan.tensorsOf(shards);
  }

  @Override
  public UnitPlan plan(UnitId unit, List<ScannedShard> shards, RuleSet rules, UnknownDtypes dtypes)
      throws SafetensorsException {
    return UnitPlan.of(unit, shards, rules, dtypes);
  }
}
