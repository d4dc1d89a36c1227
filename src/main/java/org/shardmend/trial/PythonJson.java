package org.shardmend.trial;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.core.util.Separators.Spacing;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON with the white space of Python's {@code json.dumps}, which is what the engines write. */
final class PythonJson {
  private static final Separators INDENTED =
      Separators.createDefaultInstance()
          .withObjectFieldValueSpacing(Spacing.AFTER)
          .withObjectEmptySeparator("")
          .withArrayEmptySeparator("");
  private static final DefaultIndenter TWO_SPACES = new DefaultIndenter("  ", "\n");
  private static final ObjectWriter INDENTED_WRITER =
      writer(
          new DefaultPrettyPrinter(INDENTED)
              .withObjectIndenter(TWO_SPACES)
              .withArrayIndenter(TWO_SPACES));
  private static final ObjectWriter ONE_LINE_WRITER =
      writer(
          new DefaultPrettyPrinter(
                  INDENTED
                      .withObjectEntrySpacing(Spacing.AFTER)
                      .withArrayValueSpacing(Spacing.AFTER))
              .withObjectIndenter(new DefaultPrettyPrinter.NopIndenter())
              .withArrayIndenter(new DefaultPrettyPrinter.NopIndenter()));

  private PythonJson() {}

  private static ObjectWriter writer(DefaultPrettyPrinter printer) {
    return new ObjectMapper().writer(printer);
  }

  /** An empty object, to be filled. */
  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** As {@code json.dumps(value, indent=2)} prints it. */
  static String indented(JsonNode value) {
    return print(INDENTED_WRITER, value);
  }

  /** As {@code json.dumps(value)} prints it. */
  static String oneLine(JsonNode value) {
    return print(ONE_LINE_WRITER, value);
  }

  private static String print(ObjectWriter writer, JsonNode value) {
    try {
      return writer.writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("A tree of JSON nodes can always be printed.", impossible);
    }
  }
}
