package org.shardmend.trial;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** JSON with the white space of Python's {@code json.dumps}, which is what the engines write. */
final class PythonJson {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String TWO_SPACES = "  ";

  private PythonJson() {}

  /** An empty object, to be filled. */
  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** As {@code json.dumps(value, indent=2)} prints it. */
  static String indented(JsonNode value) {
    return print(new PythonPrinter(Optional.of(TWO_SPACES)), value);
  }

  /** As {@code json.dumps(value)} prints it. */
  static String oneLine(JsonNode value) {
    return print(new PythonPrinter(Optional.empty()), value);
  }

  private static String print(PythonPrinter printer, JsonNode value) {
    try {
      return MAPPER.writer(printer).writeValueAsString(value);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("A tree of JSON nodes can always be printed.", impossible);
    }
  }
}
