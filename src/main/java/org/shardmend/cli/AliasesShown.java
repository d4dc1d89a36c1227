package org.shardmend.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.job.FoundAliases;
import org.shardmend.plan.EqualNames;
import org.shardmend.plan.NameEvidence;
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
          .putArray("example")
          .add(example.from())
          .add(example.to());
    }
    if (found.proposed().isPresent()) {
      document.set("rules", rules(found.proposed().get()));
    } else {
      document.putNull("rules");
    }
    document.put("meets_active_rules", found.meetsActiveRules());
    return document;
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
    if (found.equal().isEmpty() && found.renamed().isEmpty()) {
      lines.add("No names found that stand for another, besides those that the rules put right.");
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
                    "%,7d × %s%n                 →  %s"
                        .formatted(
                            evidence.count(),
                            Printable.of(evidence.edit().source()),
                            Printable.of(evidence.edit().target()))));
    seen.stream().limit(MOST_LINES).forEach(lines::add);
    if (seen.size() > MOST_LINES) {
      lines.add("  … and %,d more: --json lists every one".formatted(seen.size() - MOST_LINES));
    }
    lines.add("");
    lines.addAll(proposal(found));
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
