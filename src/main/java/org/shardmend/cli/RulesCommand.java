package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleFamily;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code shardmend rules}: the rule families, or a check of one's own. */
@Command(
    name = "rules",
    description = "List the rule families, or check a rules file.",
    footer = {
      "",
      "Examples:",
      "  shardmend rules",
      "  shardmend rules --check my-rules.json && shardmend plan CHECKPOINT --rules my-rules.json"
    })
final class RulesCommand extends ShardmendCommand {
  @Option(
      names = "--check",
      paramLabel = "FILE",
      description = "Check this rules file: its syntax, its patterns and its examples.")
  private String check = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    if (!check.isEmpty()) {
      RuleFamily family = RuleSources.file(check);
      return CommandResult.done(
          document(List.of(family)),
          List.of(
              "%s: family '%s', %d rules, every example holds."
                  .formatted(Printable.of(check), family.name(), family.rules().size())));
    }
    return CommandResult.done(document(BuiltinRules.all()), text(BuiltinRules.all()));
  }

  private static ObjectNode document(List<RuleFamily> families) {
    ObjectNode document = object();
    ArrayNode list = document.putArray("families");
    for (RuleFamily family : families) {
      ObjectNode node = list.addObject();
      node.put("name", family.name());
      node.put("about", family.about());
      node.put("default", family.byDefault());
      family.layouts().forEach(node.putArray("layouts")::add);
      ArrayNode rules = node.putArray("rules");
      for (Rule rule : family.rules()) {
        rules.addObject().put("from", rule.from()).put("to", rule.to());
      }
    }
    return document;
  }

  private static List<String> text(List<RuleFamily> families) {
    List<String> lines = new ArrayList<>();
    for (RuleFamily family : families) {
      lines.add(family.name() + (family.byDefault() ? "   (active by default)" : ""));
      lines.add("    " + family.about());
      family
          .rules()
          .forEach(
              rule ->
                  rule.examples().stream()
                      .limit(1)
                      .forEach(e -> lines.add("    e.g. " + e.from() + "  →  " + e.to())));
    }
    return lines;
  }
}
