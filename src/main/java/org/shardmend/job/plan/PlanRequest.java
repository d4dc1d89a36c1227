package org.shardmend.job.plan;

import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Engine;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.spark.JobException;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;

/**
 * Which checkpoint is looked at, and how.
 *
 * @param checkpoint its directory
 * @param discovery how its files are found
 * @param rules the active rule families
 * @param dtypes what becomes of types that the format's version that we know has not
 * @param rewrites what is written anew beside the tensors' names
 * @param otherLayouts what becomes of families that are for other layouts
 */
public record PlanRequest(
    Location checkpoint,
    DiscoveryOptions discovery,
    List<RuleFamily> rules,
    UnknownDtypes dtypes,
    Rewrites rewrites,
    OtherLayouts otherLayouts)
    implements Serializable {

  /**
   * What becomes of a rule family that was named and is for other layouts than the checkpoint's.
   */
  public enum OtherLayouts {
    /** A user who named it for this checkpoint is told that it does nothing there. */
    REFUSED,
    /** It is meant for other checkpoints, and left out here. */
    LEFT_OUT
  }

  /** Copies the list, so that the value can't change. */
  public PlanRequest {
    rules = List.copyOf(rules);
  }

  /** A look that leaves everything but the tensors' names as it is. */
  public PlanRequest(
      Location checkpoint,
      DiscoveryOptions discovery,
      List<RuleFamily> rules,
      UnknownDtypes dtypes) {
    this(checkpoint, discovery, rules, dtypes, Rewrites.NONE, OtherLayouts.REFUSED);
  }

  /** The same look at another checkpoint. */
  public PlanRequest at(Location other) {
    return new PlanRequest(other, discovery, rules, dtypes, rewrites, otherLayouts);
  }

  /** The same, of what this engine has saved, whatever the files say. */
  public PlanRequest savedBy(Engine engine) {
    return new PlanRequest(
        checkpoint, discovery.withEngine(engine), rules, dtypes, rewrites, otherLayouts);
  }

  /** The same, with this written anew, too. */
  public PlanRequest rewriting(Rewrites more) {
    DiscoveryOptions look = more.index() ? discovery.withoutIndex() : discovery;
    return new PlanRequest(
        checkpoint, look.settingFormat(more.format()), rules, dtypes, more, otherLayouts);
  }

  /** The same, for rules that are not meant for this one checkpoint. */
  public PlanRequest leavingOutOtherLayouts() {
    return new PlanRequest(checkpoint, discovery, rules, dtypes, rewrites, OtherLayouts.LEFT_OUT);
  }

  /**
   * The rules that are active for a checkpoint of that layout.
   *
   * @throws JobException USAGE when one that was named is for others
   */
  public RuleSet rulesFor(Layout layout) throws JobException {
    Optional<RuleFamily> idle =
        rules.stream()
            .filter(family -> !family.isFor(layout.id()) && !isBuiltinDefault(family))
            .findFirst();
    if (idle.isPresent() && otherLayouts == OtherLayouts.REFUSED) {
      throw JobException.usage(
          "rules-inactive",
          "The family %s is for %s, and %s is %s: it would not be applied. Leave it out; if these names must change here, too, name a file of your own whose layouts hold %s."
              .formatted(
                  idle.get().name(),
                  String.join(" and ", idle.get().layouts()),
                  checkpoint,
                  layout.id(),
                  layout.id()));
    }
    return RuleSet.of(rules, layout.id());
  }

  private static boolean isBuiltinDefault(RuleFamily family) {
    return BuiltinRules.find(family.name()).filter(RuleFamily::byDefault).isPresent();
  }
}
