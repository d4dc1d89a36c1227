package org.shardmend.rules;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes rule files that {@link RuleReader} reads back to the same family. */
public final class RuleWriter {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RuleWriter() {}

  /** The file of a family: one JSON object, on several lines, with a line feed at its end. */
  public static byte[] write(RuleFamily family) {
    ObjectNode document = JSON.createObjectNode();
    document.put("name", family.name());
    document.put("about", family.about());
    family.layouts().forEach(document.putArray("layouts")::add);
    document.put("default", family.byDefault());
    ArrayNode rules = document.putArray("rules");
    for (Rule rule : family.rules()) {
      ArrayNode examples =
          rules.addObject().put("from", rule.from()).put("to", rule.to()).putArray("examples");
      rule.examples().forEach(e -> examples.addArray().add(e.from()).add(e.to()));
    }
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n"));
    try {
      String text = JSON.writer(printer).writeValueAsString(document) + "\n";
      return text.getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("A tree of plain values always prints", e);
    }
  }
}
