package org.shardmend.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.files.RuleSources;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.Progress;
import org.shardmend.rules.BuiltinRules;
import org.shardmend.rules.NameEdit;
import org.shardmend.rules.Rule;
import org.shardmend.rules.RuleExample;
import org.shardmend.rules.RuleFamily;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code shardmend rules}: the rule families, or a check of one's own. */
@Command(
    name = "rules",
    description = "List the rule families, tell of one, or check a rules file.",
    footer = {
      "",
      "Examples:",
      "  shardmend rules",
      "  shardmend rules moe-correction-bias",
      "  shardmend rules --check my-rules.json && shardmend plan CHECKPOINT --rules my-rules.json"
    })
final class RulesCommand extends ShardmendCommand {
  private static final int WIDTH = 96;

  @Parameters(
      arity = "0..1",
      paramLabel = "NAME",
      description = "Tell of this family alone, or of the one in this file.")
  private String name = "";

  @Option(
      names = "--check",
      paramLabel = "FILE",
      description = "Check this rules file: its syntax, its patterns and its examples.")
  private String check = "";

  @Override
  CommandResult run(Progress progress) throws JobException {
    if (!check.isEmpty() && !name.isEmpty()) {
      throw JobException.usage(
          "bad-option",
          "'%s' and --check do not go together: the one tells of a family, the other checks a file"
              .formatted(name));
    }
    if (!check.isEmpty()) {
      RuleFamily family = RuleSources.file(check);
      return CommandResult.done(
          document(List.of(family)),
          List.of(
              "%s: family '%s', %d rules, every example holds."
                  .formatted(Printable.of(check), family.name(), family.rules().size())));
    }
    if (!name.isEmpty()) {
      RuleFamily family = RuleSources.only(List.of(name)).get(0);
      return CommandResult.done(document(List.of(family)), story(family));
    }
    return CommandResult.done(document(BuiltinRules.all()), table(BuiltinRules.all()));
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

  /** A line a family: its name, and what becomes of a name, as its first example shows it. */
  private static List<String> table(List<RuleFamily> families) {
    List<String> lines = new ArrayList<>();
    for (RuleFamily family : families) {
      lines.add(
          "%-31s  %s%s"
              .formatted(
                  family.name(), edit(family), family.byDefault() ? "   (active by default)" : ""));
    }
    lines.add("");
    lines.add(
        "Next: shardmend rules NAME    which engines save and load these names, and when to use it");
    return lines;
  }

  private static String edit(RuleFamily family) {
    RuleExample example = family.rules().get(0).examples().get(0);
    NameEdit edit = NameEdit.between(example.from(), example.to());
    List<String> next = edit.after().stream().limit(1).toList();
    return Printable.of(joined(edit.from(), next) + " → " + joined(edit.to(), next));
  }

  private static String joined(List<String> segments, List<String> next) {
    return Stream.concat(segments.stream(), next.stream()).collect(Collectors.joining("."));
  }

  private static List<String> story(RuleFamily family) {
    List<String> lines = new ArrayList<>();
    lines.add(family.name() + (family.byDefault() ? "   (active by default)" : ""));
    lines.add("");
    lines.addAll(wrapped(family.about()));
    for (Rule rule : family.rules()) {
      lines.add("");
      lines.add("  from  " + Printable.of(rule.from()));
      lines.add("  to    " + Printable.of(rule.to()));
      rule.examples().stream()
          .limit(1)
          .forEach(
              example -> {
                lines.add("  e.g.  " + Printable.of(example.from()));
                lines.add("     →  " + Printable.of(example.to()));
              });
    }
    return lines;
  }

  private static List<String> wrapped(String text) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
        lines.add(Printable.of(line.toString()));
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(Printable.of(line.toString()));
    return lines;
  }
}
