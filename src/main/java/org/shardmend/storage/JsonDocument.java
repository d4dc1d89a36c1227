package org.shardmend.storage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The small documents of the protocols: records as JSON, members in snake case, UTF-8. */
final class JsonDocument {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private JsonDocument() {}

  /** The document of a record or a tree, with a line end. */
  static byte[] write(Object value) {
    try {
      return (MAPPER.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("A value of ours must be writable as JSON.", impossible);
    }
  }

  /**
   * Reads a record back.
   *
   * @throws IOException when the bytes are not that document
   */
  static <T> T read(byte[] bytes, Class<T> type) throws IOException {
    T value = MAPPER.readValue(new String(bytes, StandardCharsets.UTF_8), type);
    if (value == null) {
      throw new IOException("The document is empty.");
    }
    return value;
  }

  /** A record as a tree. */
  static JsonNode treeOf(Object value) {
    return MAPPER.valueToTree(value);
  }

  /**
   * Reads any JSON.
   *
   * @throws IOException when the bytes are not JSON
   */
  static JsonNode tree(byte[] bytes) throws IOException {
    return MAPPER.readTree(new String(bytes, StandardCharsets.UTF_8));
  }

  /**
   * Reads a record back.
   *
   * @throws IOException when the tree is not that document
   */
  static <T> T fromTree(JsonNode tree, Class<T> type) throws IOException {
    T value = MAPPER.treeToValue(tree, type);
    if (value == null) {
      throw new IOException("The document is empty.");
    }
    return value;
  }
}
