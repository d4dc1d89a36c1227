package org.shardmend.checkpoint.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SortedMap;

/**
 * Copies a JSON document value by value. What its user does not touch stays as it was: the order of
 * members, the form of numbers, members that nobody knows.
 */
public final class JsonRewrite {

  /** Copies one document, from its first token to its last. */
  @FunctionalInterface
  public interface Body {
    public void copy(JsonRewrite rewrite) throws IOException;
  }

  /** Copies the value of one member; the member's name was not written yet. */
  @FunctionalInterface
  public interface MemberCopy {
    public void copy(String member) throws IOException;
  }

  /** Copies one element. */
  @FunctionalInterface
  public interface ElementCopy {
    public void copy() throws IOException;
  }

  private final JsonParser parser;
  private final JsonGenerator generator;

  private JsonRewrite(JsonParser parser, JsonGenerator generator) {
    this.parser = parser;
    this.generator = generator;
  }

  /**
   * The document {@code json} as {@code body} copies it.
   *
   * @throws IllegalStateException if it is not JSON; it was parsed before
   */
  public static byte[] rewrite(byte[] json, Body body) {
    JsonStyle style = JsonStyle.of(json);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(json.length);
    try (JsonParser parser = JsonCursor.parserOf(json);
        JsonGenerator generator = style.generator(bytes)) {
      parser.nextToken();
      body.copy(new JsonRewrite(parser, generator));
      generator.flush();
      bytes.writeBytes(style.ending().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException("A document that was parsed before cannot be copied.", e);
    }
    return bytes.toByteArray();
  }

  /** Copies the object here, each member by {@code members}, which may leave it out. */
  public void object(MemberCopy members) throws IOException {
    object(members, () -> {});
  }

  /** Copies the object here in the same way, and lets {@code more} write members behind. */
  public void object(MemberCopy members, ElementCopy more) throws IOException {
    generator.writeStartObject();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String member = parser.currentName();
      parser.nextToken();
      members.copy(member);
    }
    more.copy();
    generator.writeEndObject();
  }

  /** Copies the array here, each element by {@code elements}, which may leave it out. */
  public void array(ElementCopy elements) throws IOException {
    generator.writeStartArray();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      elements.copy();
    }
    generator.writeEndArray();
  }

  /** Whether the value here is an object. */
  public boolean isObject() {
    return parser.currentToken() == JsonToken.START_OBJECT;
  }

  /** The string here, without copying it. */
  public String string() throws IOException {
    return parser.getText();
  }

  /** Writes a member's name. */
  public void name(String member) throws IOException {
    generator.writeFieldName(member);
  }

  /** Writes a string. */
  public void write(String value) throws IOException {
    generator.writeString(value);
  }

  /** Writes an object of strings. */
  public void write(SortedMap<String, String> members) throws IOException {
    generator.writeStartObject();
    for (Map.Entry<String, String> member : members.entrySet()) {
      generator.writeStringField(member.getKey(), member.getValue());
    }
    generator.writeEndObject();
  }

  /** Writes a whole number. */
  public void write(long value) throws IOException {
    generator.writeNumber(value);
  }

  /** Copies the member {@code member} with the value here, as they are. */
  public void copy(String member) throws IOException {
    name(member);
    copy();
  }

  /** Copies the value here as it is. */
  public void copy() throws IOException {
    switch (parser.currentToken()) {
      case START_OBJECT -> object(this::copy);
      case START_ARRAY -> array(this::copy);
      case VALUE_STRING -> generator.writeString(parser.getText());
      // As text: a number must not change its form.
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> generator.writeNumber(parser.getText());
      case VALUE_TRUE -> generator.writeBoolean(true);
      case VALUE_FALSE -> generator.writeBoolean(false);
      case VALUE_NULL -> generator.writeNull();
      case END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE ->
          throw new IOException("No value stands at " + parser.currentTokenLocation());
    }
  }

  /** Leaves the value here out. */
  public void skip() throws IOException {
    parser.skipChildren();
  }
}
