package org.shardmend.plan.contract;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.SmallReads;
import org.shardmend.checkpoint.UnitCheck;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.UnitPlan;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.UnknownDtypes;

/** The names stand in the shards' headers. */
final class HeaderNames implements UnitNames {
  private static final long serialVersionUID = 1L;

  private final List<UnitCheck> checks;
  private final String format;

  /**
   * Names of units whose headers are held to {@code checks}.
   *
   * @param format what {@code __metadata__.format} is set to by a repair; empty where it is not
   */
  HeaderNames(List<UnitCheck> checks, String format) {
    this.checks = List.copyOf(checks);
    this.format = format;
  }

  @Override
  public List<Finding> problems(List<ScannedShard> shards) {
    return List.of();
  }

  @Override
  public List<Finding> findings(List<ScannedShard> shards, SmallReads reads) throws IOException {
    List<Finding> findings = new ArrayList<>();
    for (UnitCheck check : checks) {
      findings.addAll(check.check(shards, reads));
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
    return UnitPlan.of(unit, shards, rules, format, dtypes);
  }
}
