package org.shardmend.plan;

import java.io.Serializable;
import java.util.Optional;
import org.shardmend.checkpoint.UnitId;

/**
 * What a plan says of one tensor in one load unit.
 *
 * @param unit the load unit
 * @param shard the shard that holds the tensor, relative to the checkpoint
 * @param tensor the name under which the tensor is stored
 * @param target the name that the rules give it: the new name of a RENAME, the name under which the
 *     bytes of a DROP remain, the name that a REFUSE would have got; empty when the rules give none
 * @param action what happens
 * @param rule the rule that decided ({@code family#index}), empty when none did
 * @param reason why, as a sentence for people
 */
public record Decision(
    UnitId unit,
    String shard,
    String tensor,
    String target,
    Action action,
    String rule,
    String reason)
    implements Serializable {

  /** The name that the rules give the tensor; empty when they give none. */
  public Optional<String> targetName() {
    return target.isEmpty() ? Optional.empty() : Optional.of(target);
  }

  /** Whether the rules, and not the checkpoint, are why this tensor can't be decided. */
  public boolean isRefusedByRules() {
    return action == Action.REFUSE && target.isEmpty() && !rule.isEmpty();
  }

  Decision refused(String why) {
    return new Decision(unit, shard, tensor, target, Action.REFUSE, rule, why);
  }
}
