package org.shardmend.job;

import java.util.List;
import org.shardmend.checkpoint.DiscoveryOptions;
import org.shardmend.rules.RuleFamily;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;

/**
 * Which checkpoint is looked at, and how.
 *
 * @param checkpoint its directory
 * @param discovery how its files are found
 * @param rules the active rule families
 * @param dtypes what becomes of types that the format's version that we know has not
 * @param rewritesConfig whether module names in config.json's quantization section follow the
 *     tensors' names
 */
public record PlanRequest(
    Location checkpoint,
    DiscoveryOptions discovery,
    List<RuleFamily> rules,
    UnknownDtypes dtypes,
    boolean rewritesConfig) {

  /** Copies the list, so that the value can't change. */
  public PlanRequest {
    rules = List.copyOf(rules);
  }

  /** A look that leaves config.json as it is. */
  public PlanRequest(
      Location checkpoint,
      DiscoveryOptions discovery,
      List<RuleFamily> rules,
      UnknownDtypes dtypes) {
    this(checkpoint, discovery, rules, dtypes, false);
  }

  /** The same look at another checkpoint. */
  PlanRequest at(Location other) {
    return new PlanRequest(other, discovery, rules, dtypes, rewritesConfig);
  }

  /** The same, with config.json rewritten. */
  public PlanRequest rewritingConfig() {
    return new PlanRequest(checkpoint, discovery, rules, dtypes, true);
  }
}
