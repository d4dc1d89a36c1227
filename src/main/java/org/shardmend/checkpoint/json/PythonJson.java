package org.shardmend.checkpoint.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The text that Python's {@code json.dumps(…, sort_keys=True)} gives, and its digest. */
public final class PythonJson {
  private static final JsonStyle STYLE = new JsonStyle(0, true, true, "");
  private static final int SIGNATURE_DIGITS = 16;

  private PythonJson() {}

  /**
   * The first 16 hexadecimal digits of the text's SHA-1; empty when a fraction is in it, whose text
   * only Python knows.
   */
  public static Optional<String> sha1(JsonNode node) {
    if (hasFraction(node)) {
      return Optional.empty();
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (JsonGenerator generator = STYLE.generator(text)) {
      write(generator, node);
    } catch (IOException e) {
      throw new IllegalStateException("A tree that was read cannot be written.", e);
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.toByteArray());
      return Optional.of(HexFormat.of().formatHex(digest).substring(0, SIGNATURE_DIGITS));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-1.", e);
    }
  }

  private static void write(JsonGenerator generator, JsonNode node) throws IOException {
    if (node.isObject()) {
      SortedMap<String, JsonNode> members = new TreeMap<>();
      node.fieldNames().forEachRemaining(name -> members.put(name, node.path(name)));
      generator.writeStartObject();
      for (Map.Entry<String, JsonNode> member : members.entrySet()) {
        generator.writeFieldName(member.getKey());
        write(generator, member.getValue());
      }
      generator.writeEndObject();
    } else if (node.isArray()) {
      generator.writeStartArray();
      for (JsonNode element : node) {
        write(generator, element);
      }
      generator.writeEndArray();
    } else if (node.isTextual()) {
      generator.writeString(node.textValue());
    } else {
      generator.writeRawValue(node.asText()); // a number, true, false or null
    }
  }

  private static boolean hasFraction(JsonNode node) {
    if (node.isFloatingPointNumber()) {
      return true;
    }
    for (JsonNode child : node) {
      if (hasFraction(child)) {
        return true;
      }
    }
    return false;
  }
}
