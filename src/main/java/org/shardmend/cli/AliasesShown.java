package org.shardmend.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.cli.text.Printable;
import org.shardmend.job.plan.FoundAliases;
import org.shardmend.plan.ByteSize;
import org.shardmend.plan.alias.AmbiguousName;
import org.shardmend.plan.alias.EqualNames;
import org.shardmend.plan.alias.NameCount;
import org.shardmend.plan.alias.NameEvidence;
import org.shardmend.rules.RuleExample;
import org.shardmend.rules.RuleFamily;
import org.shardmend.rules.RuleWriter;

/** What {@code plan --find-aliases} found, as a document and for people. */
final class AliasesShown {
  private static final int MOST_LINES = 40;
  private static final String FILE = "my-rules.json";

  private AliasesShown() {}

  static ObjectNode document(FoundAliases found) {
    ObjectNode document = ShardmendCommand.object();
    ArrayNode equal = document.putArray("equal");
    for (EqualNames set : found.equal()) {
      ObjectNode node = equal.addObject();
      set.names().forEach(node.putArray("names")::add);
      node.put("count", set.count());
      set.example().forEach(node.putArray("example")::add);
    }
    ArrayNode renamed = document.putArray("renamed");
    for (NameEvidence evidence : found.renamed()) {
      RuleExample example = evidence.examples().get(0);
      renamed
          .addObject()
          .put("from", evidence.edit().source())
          .put("to", evidence.edit().target())
          .put("count", evidence.count())
          .put("proof", evidence.proof().label())
          .putArray("example")
          .add(example.from())
          .add(example.to());
    }
    ArrayNode ambiguous = document.putArray("ambiguous");
    for (AmbiguousName name : found.ambiguous()) {
      ObjectNode node = ambiguous.addObject();
      node.put("from", name.from());
      name.to().forEach(node.putArray("to")::add);
      node.put("count", name.count());
      node.put("example", name.example());
    }
    document.set("unexpected", counts(found.unexpected()));
    document.set("missing", counts(found.missing()));
    document
        .putObject("compared")
        .put("tensors", found.compared().tensors())
        .put("bytes", found.compared().bytes());
    if (found.proposed().isPresent()) {
      document.set("rules", rules(found.proposed().get()));
    } else {
      document.putNull("rules");
    }
    document.put("meets_active_rules", found.meetsActiveRules());
    return document;
  }

  private static ArrayNode counts(List<NameCount> counts) {
    ArrayNode nodes = ShardmendCommand.object().putArray("names");
    counts.forEach(
        one ->
            nodes
                .addObject()
                .put("name", one.name())
                .put("count", one.count())
                .put("example", one.example()));
    return nodes;
  }

  private static JsonNode rules(RuleFamily family) {
    try {
      return new ObjectMapper().readTree(RuleWriter.write(family));
    } catch (IOException e) {
      throw new IllegalStateException("What was just written can be read", e);
    }
  }

  static List<String> text(FoundAliases found) {
    List<String> lines = new ArrayList<>();
    lines.add("");
    if (found.equal().isEmpty() && found.renamed().isEmpty() && found.ambiguous().isEmpty()) {
      lines.add("No names found that stand for another, besides those that the rules put right.");
      lines.addAll(leftovers(found));
      return lines;
    }
    List<String> seen = new ArrayList<>();
    found
        .equal()
        .forEach(
            set ->
                seen.add(
                    "%,7d × equal bytes: %s"
                        .formatted(set.count(), Printable.of(String.join(" = ", set.names())))));
    found
        .renamed()
        .forEach(
            evidence ->
                seen.add(
                    "%,7d × %s%n                 →  %s   (proof: %s)"
                        .formatted(
                            evidence.count(),
                            Printable.of(evidence.edit().source()),
                            Printable.of(evidence.edit().target()),
                            evidence.proof().label())));
    found
        .ambiguous()
        .forEach(
            name ->
                seen.add(
                    "%,7d × %s%n                 →  ambiguous, no rule is proposed: %s"
                        .formatted(
                            name.count(),
                            Printable.of(name.from()),
                            Printable.of(String.join(" or ", name.to())))));
    seen.stream().limit(MOST_LINES).forEach(lines::add);
    if (seen.size() > MOST_LINES) {
      lines.add("  … and %,d more: --json lists every one".formatted(seen.size() - MOST_LINES));
    }
    lines.add("");
    if (found.compared().tensors() > 0) {
      lines.add(
          "Compared %,d tensors with the healthy checkpoint's by their bytes (%s read)."
              .formatted(found.compared().tensors(), ByteSize.format(found.compared().bytes())));
    }
    lines.addAll(leftovers(found));
    lines.addAll(proposal(found));
    return lines;
  }

  /** What a loader will still not find, or not know, by these rules. */
  private static List<String> leftovers(FoundAliases found) {
    long unexpected = found.unexpected().stream().mapToLong(NameCount::count).sum();
    long missing = found.missing().stream().mapToLong(NameCount::count).sum();
    List<String> lines = new ArrayList<>();
    if (unexpected + missing > 0) {
      lines.add(
          "Without a proposal: %,d names that are not expected, %,d expected ones that are missing."
              .formatted(unexpected, missing));
      found.unexpected().stream()
          .map(one -> "%,7d × not expected: %s".formatted(one.count(), Printable.of(one.name())))
          .limit(MOST_LINES)
          .forEach(lines::add);
      found.missing().stream()
          .map(one -> "%,7d × missing: %s".formatted(one.count(), Printable.of(one.name())))
          .limit(MOST_LINES)
          .forEach(lines::add);
      if (found.unexpected().size() > MOST_LINES || found.missing().size() > MOST_LINES) {
        lines.add("  … and more: --json lists every one");
      }
      lines.add("");
    }
    return lines;
  }

  private static List<String> proposal(FoundAliases found) {
    if (found.proposed().isEmpty()) {
      return List.of(
          "No rule is proposed: which of the names is right can't be told from them, or a rule"
              + " would change others, too. An expected state (--expected-state, --like) may"
              + " tell.");
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "Proposed rules, tried on every load unit. Save them as "
            + FILE
            + " and look at them: shardmend plan CHECKPOINT --rules "
            + FILE
            + (found.meetsActiveRules() ? " --no-default-rules" : ""));
    lines.add("");
    new String(RuleWriter.write(found.proposed().get()), StandardCharsets.UTF_8)
        .lines()
        .forEach(lines::add);
    return lines;
  }
}
