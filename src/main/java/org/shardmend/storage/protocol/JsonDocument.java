package org.shardmend.storage.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;

/** The small documents of the protocols: records as JSON, members in snake case, UTF-8. */
public final class JsonDocument {
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
  public static byte[] write(Object value) {
    try {
      return (MAPPER.writeValueAsString(value) + "\n").getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("A value of ours must be writable as JSON.", impossible);
    }
  }

  /**
   * Reads a record back.
   *
   * @throws JsonProcessingException when the bytes are not that document
   */
  public static <T> T read(byte[] bytes, Class<T> type) throws JsonProcessingException {
    T value = MAPPER.readValue(new String(bytes, StandardCharsets.UTF_8), type);
    return present(value, type);
  }

  private static <T> T present(T value, Class<T> type) throws JsonProcessingException {
    if (value == null) {
      throw MismatchedInputException.from((JsonParser) null, type, "The document is empty.");
    }
    return value;
  }

  /** A record as a tree. */
  public static JsonNode treeOf(Object value) {
    return MAPPER.valueToTree(value);
  }

  /**
   * Reads any JSON.
   *
   * @throws JsonProcessingException when the bytes are not JSON
   */
  public static JsonNode tree(byte[] bytes) throws JsonProcessingException {
    return MAPPER.readTree(new String(bytes, StandardCharsets.UTF_8));
  }

  /**
   * Reads a record back.
   *
   * @throws JsonProcessingException when the tree is not that document
   */
  public static <T> T fromTree(JsonNode tree, Class<T> type) throws JsonProcessingException {
    return present(MAPPER.treeToValue(tree, type), type);
  }
}
