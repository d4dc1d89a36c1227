package org.shardmend.checkpoint.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Walks a JSON document value by value, and says where it is when something is not as expected.
 * Strict: UTF-8 only, no member twice in one object, nothing after the document, and limits that no
 * honest side file comes near.
 */
public final class JsonCursor implements Closeable {

  /** How deep a document may nest. */
  static final int MAX_DEPTH = 256;

  private static final int MAX_STRING_CHARS = 1 << 24;
  private static final int MAX_NUMBER_CHARS = 1000;

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // Python writes and reads NaN and Infinity, as in the time_step_limit of Mamba's configs.
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxStringLength(MAX_STRING_CHARS)
                  .maxNumberLength(MAX_NUMBER_CHARS)
                  .build())
          .build();

  /** The parser's word for a word that is no JSON, which it repeats. */
  private static final Pattern UNKNOWN_WORD =
      Pattern.compile("^(Unrecognized token) '.*'(?=: was expecting)", Pattern.DOTALL);

  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** Reads the value of one member of an object. */
  @FunctionalInterface
  public interface MemberReader {
    void read(String member) throws JsonFormatException;
  }

  /** Reads one element of an array. */
  @FunctionalInterface
  public interface ElementReader {
    void read() throws JsonFormatException;
  }

  /** Turns a document into a value. */
  @FunctionalInterface
  public interface DocumentReader<T> {
    T read(JsonCursor cursor) throws JsonFormatException;
  }

  private final JsonParser parser;
  private JsonToken token;

  private JsonCursor(JsonParser parser) {
    this.parser = parser;
  }

  /**
   * Reads a whole document with {@code reader}, which must consume exactly one value.
   *
   * @throws JsonFormatException if it is not JSON, exceeds the limits, or {@code reader} says so
   */
  public static <T> T parse(byte[] json, DocumentReader<T> reader) throws JsonFormatException {
    Optional<LfsPointer> pointer = LfsPointer.of(json);
    if (pointer.isPresent()) {
      throw new JsonFormatException("it" + pointer.get().told(), null);
    }
    try (JsonCursor cursor = new JsonCursor(parserOf(json))) {
      cursor.advance();
      if (cursor.token == null) {
        throw cursor.failure("the document is empty");
      }
      T value = reader.read(cursor);
      if (cursor.token != null) {
        throw cursor.failure("something follows the document");
      }
      return value;
    } catch (IOException e) {
      throw new JsonFormatException(e.getMessage(), e);
    }
  }

  /** A parser over these bytes with the limits of this class. */
  static JsonParser parserOf(byte[] json) throws IOException {
    // Jackson would guess UTF-16 and UTF-32, and patch up what is not UTF-8.
    return FACTORY.createParser(
        new InputStreamReader(
            new ByteArrayInputStream(json),
            StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT)));
  }

  /** Calls {@code members} for each member of the object here, which must read its value. */
  public void object(String what, MemberReader members) throws JsonFormatException {
    expect(JsonToken.START_OBJECT, what, "an object");
    while (token != JsonToken.END_OBJECT) {
      String member = text();
      advance();
      members.read(member);
    }
    advance();
  }

  /** Calls {@code elements} for each element of the array here, which must read it. */
  public void array(String what, ElementReader elements) throws JsonFormatException {
    expect(JsonToken.START_ARRAY, what, "an array");
    while (token != JsonToken.END_ARRAY) {
      elements.read();
    }
    advance();
  }

  /** The string here. */
  public String string(String what) throws JsonFormatException {
    String value = peekString(what);
    advance();
    return value;
  }

  /** The string here, which stays to be read. */
  public String peekString(String what) throws JsonFormatException {
    require(token == JsonToken.VALUE_STRING, what, "a string");
    return text();
  }

  /** The whole number here, from {@code least} to {@code most}. */
  public long integer(String what, long least, long most) throws JsonFormatException {
    require(token == JsonToken.VALUE_NUMBER_INT, what, "a whole number");
    long value;
    try {
      value = Long.parseLong(text());
    } catch (NumberFormatException e) {
      throw failure(what + " is out of range: " + text());
    }
    if (value < least || value > most) {
      throw failure(what + " is " + value + ", expected " + least + " to " + most);
    }
    advance();
    return value;
  }

  /** The truth value here. */
  public boolean bool(String what) throws JsonFormatException {
    require(token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE, what, "true or false");
    boolean value = token == JsonToken.VALUE_TRUE;
    advance();
    return value;
  }

  /** Whether the value here is {@code null}. */
  public boolean isNull() {
    return token == JsonToken.VALUE_NULL;
  }

  /** Whether the value here is an object. */
  public boolean isObject() {
    return token == JsonToken.START_OBJECT;
  }

  /** Whether the value here is a number of any form. */
  public boolean isNumber() {
    return token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT;
  }

  /** The number here, as written. */
  public String numberText(String what) throws JsonFormatException {
    require(isNumber(), what, "a number");
    String value = text();
    advance();
    return value;
  }

  /** The value here as a tree. */
  public JsonNode tree() throws JsonFormatException {
    JsonNode tree;
    try {
      tree = MAPPER.readTree(parser);
    } catch (IOException e) {
      throw unreadable(e);
    }
    advance();
    return tree;
  }

  /** Leaves the value here unread. */
  public void skip() throws JsonFormatException {
    try {
      parser.skipChildren();
    } catch (IOException e) {
      throw unreadable(e);
    }
    advance();
  }

  /** An error about the place where the cursor is. */
  public JsonFormatException failure(String message) {
    return new JsonFormatException(place(parser.currentTokenLocation()) + ": " + message, null);
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }

  private void expect(JsonToken expected, String what, String kind) throws JsonFormatException {
    require(token == expected, what, kind);
    advance();
  }

  private void require(boolean holds, String what, String kind) throws JsonFormatException {
    if (!holds) {
      throw failure("expected " + what + " to be " + kind + ", found " + found());
    }
  }

  private String found() {
    if (token == null) {
      return "the end";
    }
    return switch (token) {
      case START_OBJECT, END_OBJECT -> "an object";
      case START_ARRAY, END_ARRAY -> "an array";
      case FIELD_NAME -> "a member's name";
      case VALUE_STRING -> "a string";
      case VALUE_NUMBER_INT -> "a whole number";
      case VALUE_NUMBER_FLOAT -> "a number with a fraction or an exponent";
      case VALUE_TRUE -> "true";
      case VALUE_FALSE -> "false";
      case VALUE_NULL -> "null";
      case VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE -> "nothing";
    };
  }

  private String text() throws JsonFormatException {
    try {
      return parser.getText();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private void advance() throws JsonFormatException {
    try {
      token = parser.nextToken();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private JsonFormatException unreadable(IOException e) {
    return unreadable(e, parser);
  }

  /** What went wrong in {@code parser}, for people, with the place. */
  static JsonFormatException unreadable(IOException e, JsonParser parser) {
    if (e instanceof StreamConstraintsException
        && parser.getParsingContext().getNestingDepth() >= MAX_DEPTH) {
      return new JsonFormatException(
          place(parser.currentLocation()) + ": it nests deeper than " + MAX_DEPTH + " levels", e);
    }
    if (e instanceof JsonEOFException) {
      return new JsonFormatException(
          place(parser.currentLocation()) + ": the document ends in the middle", e);
    }
    if (e instanceof JsonProcessingException json) {
      JsonLocation location =
          json.getLocation() == null ? parser.currentLocation() : json.getLocation();
      // A link may make any file of the reader's this one: what it holds is not for messages.
      String said = UNKNOWN_WORD.matcher(json.getOriginalMessage()).replaceFirst("$1");
      return new JsonFormatException(place(location) + ": " + said, e);
    }
    if (e instanceof CharacterCodingException) {
      return new JsonFormatException(
          "after " + place(parser.currentLocation()) + ": it is not UTF-8", e);
    }
    return new JsonFormatException(place(parser.currentLocation()) + ": " + e.getMessage(), e);
  }

  private static String place(JsonLocation location) {
    return "line " + location.getLineNr() + ", column " + location.getColumnNr();
  }
}
