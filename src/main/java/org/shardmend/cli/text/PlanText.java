package org.shardmend.cli.text;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.plan.PlannedCheckpoint;
import org.shardmend.plan.Action;
import org.shardmend.plan.ActionCounts;
import org.shardmend.plan.ByteSize;
import org.shardmend.plan.Cost;
import org.shardmend.plan.Decision;
import org.shardmend.plan.Plan;
import org.shardmend.plan.Strategy;

/** A plan as people read it: names that differ in numbers only are one line. */
public final class PlanText {
  private static final Pattern NUMBER = Pattern.compile("(?<=\\.)[0-9]+(?=\\.)");
  private static final int MOST_REFUSALS = 50;

  /** So many groups of names are told apart: more are no names of a model's. */
  private static final int MOST_GROUPS = 1000;

  private PlanText() {}

  /**
   * A plan, line by line, with the next step last.
   *
   * @param words the checkpoint and how it is read, for the next command
   */
  public static List<String> of(PlannedCheckpoint planned, String words) {
    Plan plan = planned.plan();
    ActionCounts counts = plan.counts();
    List<String> lines = new ArrayList<>();
    lines.add("Checkpoint   " + Printable.of(planned.location().toString()));
    lines.add(
        "             %s, %,d load units, %,d shards, %s"
            .formatted(
                plan.layout(), plan.units(), plan.shards().size(), ByteSize.format(plan.bytes())));
    lines.add("Fingerprint  " + plan.fingerprint());
    lines.add(
        "Tensors      %,d: %,d to rename, %,d to drop, %,d refused, %,d stay as they are"
            .formatted(
                counts.tensors(), counts.rename(), counts.drop(), counts.refuse(), counts.keep()));
    lines.addAll(findings(planned.findings()));
    if (plan.refused()) {
      lines.addAll(refusals(plan));
    } else if (planned.nothingToDo()) {
      lines.add("");
      lines.add("Nothing to do: no active rule would change a name.");
    } else {
      lines.addAll(changes(plan));
      lines.addAll(costs(planned, words));
    }
    return lines;
  }

  public static List<String> findings(List<Finding> findings) {
    return findings.stream()
        .map(
            finding ->
                "%-12s %s: %s"
                    .formatted(
                        finding.severity().name(), finding.code(), Printable.of(finding.message())))
        .toList();
  }

  /** A text in which a star stands for each number between dots, such as a layer's. */
  static String withoutNumbers(String text) {
    return NUMBER.matcher(text).replaceAll("*");
  }

  private static List<String> changes(Plan plan) {
    Map<String, Long> groups = new LinkedHashMap<>();
    plan.changes()
        .map(PlanText::group)
        .filter(group -> groups.size() < MOST_GROUPS || groups.containsKey(group))
        .forEach(group -> groups.merge(group, 1L, Long::sum));
    List<String> lines = new ArrayList<>();
    lines.add("");
    long formats = plan.shards().stream().filter(shard -> !shard.format().isEmpty()).count();
    if (formats > 0) {
      lines.add("%,7d × SET     __metadata__.format of a shard".formatted(formats));
    }
    groups.forEach((group, count) -> lines.add("%,7d × %s".formatted(count, group)));
    long shown = groups.values().stream().mapToLong(Long::longValue).sum();
    long all = plan.counts().rename() + plan.counts().drop();
    if (shown < all) {
      lines.add("  … and %,d more: --json lists every one".formatted(all - shown));
    }
    return lines;
  }

  private static String group(Decision change) {
    String from = Printable.of(withoutNumbers(change.tensor()));
    String to = Printable.of(withoutNumbers(change.target()));
    return change.action() == Action.DROP
        ? "DROP    %s%n                    its bytes stay under %s  (%s)"
            .formatted(from, to, change.rule())
        : "%-7s %s%n                 →  %s  (%s)"
            .formatted(change.action(), from, to, change.rule());
  }

  private static List<String> refusals(Plan plan) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add(
        plan.refusals().allMatch(Decision::isRefusedByRules)
            ? "Refused: the rules give no name that could be trusted; nothing is wrong with the"
                + " checkpoint. Nothing was changed."
            : "Refused: this checkpoint contradicts itself. Nothing was changed.");
    plan.refusals()
        .limit(MOST_REFUSALS)
        .forEach(
            refusal ->
                lines.add(
                    "  %s, %s: '%s': %s"
                        .formatted(
                            refusal.unit().label(),
                            Printable.of(refusal.shard()),
                            Printable.of(refusal.tensor()),
                            Printable.of(refusal.reason()))));
    long refused = plan.counts().refuse();
    if (refused > MOST_REFUSALS) {
      lines.add("  … and %,d more: --json lists every one".formatted(refused - MOST_REFUSALS));
    }
    return lines;
  }

  private static List<String> costs(PlannedCheckpoint planned, String words) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("Strategy        reads      writes  extra space");
    for (Map.Entry<Strategy, Cost> entry : planned.costs().entrySet()) {
      Cost cost = entry.getValue();
      lines.add(
          "  %-8s %10s  %10s   %10s"
              .formatted(
                  entry.getKey(),
                  ByteSize.format(cost.reads()),
                  ByteSize.format(cost.writes()),
                  ByteSize.format(cost.extraSpace())));
    }
    lines.add("");
    lines.add("Next: shardmend repair " + words + " --in-place      patch the headers, undoable");
    lines.add("  or: shardmend repair " + words + " --output DIR    leave the source as it is");
    return lines;
  }
}
