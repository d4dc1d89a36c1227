package org.shardmend.rules;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Parses one JSON document, UTF-8 and nothing else, into values that know their place. */
final class LocatedJsonParser {
  private static final JsonFactory JSON = new JsonFactory();

  private final String origin;
  private final JsonParser parser;

  /** The value being read, for errors of syntax. */
  private String path = "";

  private LocatedJsonParser(String origin, JsonParser parser) {
    this.origin = origin;
    this.parser = parser;
  }

  /**
   * Parses a document.
   *
   * @throws RuleException if it is not UTF-8, not JSON, has a key twice, or has something behind it
   */
  static LocatedJson parse(byte[] json, String origin) throws RuleException {
    String text = decode(json, origin);
    try (JsonParser parser = JSON.createParser(text)) {
      return new LocatedJsonParser(origin, parser).document();
    } catch (IOException e) {
      throw new UncheckedIOException("Reading from memory failed", e);
    }
  }

  /** Decodes strictly: a parser left to itself would guess at UTF-16 and replace what is broken. */
  private static String decode(byte[] json, String origin) throws RuleException {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
    CharBuffer text = CharBuffer.allocate(json.length);
    CoderResult result = decoder.decode(ByteBuffer.wrap(json), text, true);
    text.flip();
    if (result.isError()) {
      String before = text.toString();
      int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
      int column = before.length() - before.lastIndexOf('\n');
      throw new JsonPlace(origin, line, column, "")
          .fault("A byte here is not UTF-8.", "Save the file as UTF-8.");
    }
    return text.toString();
  }

  private LocatedJson document() throws RuleException, IOException {
    try {
      parser.nextToken();
      LocatedJson value = value();
      path = "";
      if (parser.nextToken() != null) {
        throw here().fault("Something follows the document.", "Remove it.");
      }
      return value;
    } catch (JsonEOFException e) {
      throw fault(e, "The file ends in the middle of the document.", "Complete it.");
    } catch (JsonProcessingException e) {
      throw fault(e, "This is not JSON: " + e.getOriginalMessage() + ".", "Correct the syntax.");
    }
  }

  private RuleException fault(JsonProcessingException cause, String problem, String remedy) {
    // A document beyond the parser's limits has no place of its own.
    JsonLocation at = Optional.ofNullable(cause.getLocation()).orElseGet(parser::currentLocation);
    RuleException fault = at(at).fault(problem, remedy);
    fault.initCause(cause);
    return fault;
  }

  /** The value at the current token. */
  private LocatedJson value() throws RuleException, IOException {
    JsonPlace place = here();
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw place.fault("The file is empty.", "Write a rule family: one JSON object.");
    }
    return switch (token) {
      case START_OBJECT -> object(place);
      case START_ARRAY -> list(place);
      case VALUE_STRING -> new LocatedJson.JsonText(place, parser.getText());
      case VALUE_TRUE -> new LocatedJson.JsonFlag(place, true);
      case VALUE_FALSE -> new LocatedJson.JsonFlag(place, false);
      case VALUE_NULL -> new LocatedJson.JsonOther(place, "null");
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new LocatedJson.JsonOther(place, "a number");
      case NOT_AVAILABLE, END_OBJECT, END_ARRAY, FIELD_NAME, VALUE_EMBEDDED_OBJECT ->
          throw new IllegalStateException("No JSON value begins with " + token);
    };
  }

  private LocatedJson object(JsonPlace place) throws RuleException, IOException {
    Map<String, LocatedJson> members = new LinkedHashMap<>();
    Map<String, JsonPlace> keys = new LinkedHashMap<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      path = (place.path().isEmpty() ? "" : place.path() + ".") + Quoted.brief(key);
      JsonPlace keyPlace = here();
      if (keys.containsKey(key)) {
        throw keyPlace.fault("This key stands here twice.", "Remove one of the two.");
      }
      keys.put(key, keyPlace);
      parser.nextToken();
      members.put(key, value());
      path = place.path();
    }
    return new LocatedJson.JsonObject(place, members, keys);
  }

  private LocatedJson list(JsonPlace place) throws RuleException, IOException {
    List<LocatedJson> items = new ArrayList<>();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      path = place.path() + "[" + items.size() + "]";
      items.add(value());
      path = place.path();
    }
    return new LocatedJson.JsonList(place, items);
  }

  private JsonPlace here() {
    return at(parser.currentTokenLocation());
  }

  /** Before the first token, the parser counts columns from 0. */
  private JsonPlace at(JsonLocation location) {
    return new JsonPlace(
        origin, Math.max(1, location.getLineNr()), Math.max(1, location.getColumnNr()), path);
  }
}
