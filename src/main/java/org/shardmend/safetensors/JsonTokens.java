package org.shardmend.safetensors;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * The tokens of a JSON text, as strict as serde_json is where Jackson is not: no half surrogates,
 * no deep nesting, no number beyond a double. Knows where in the file it is, and in which tensor.
 *
 * <p>Every method may throw Jackson's {@code JsonProcessingException} where the text is not JSON.
 */
final class JsonTokens implements Closeable {
  /** serde_json gives up on entering the 128th level. */
  private static final int MAX_DEPTH = 127;

  /**
   * Jackson, with its own limits out of the way of ours. Names are neither interned nor cached:
   * nearly all differ, and a cache would hold them for the life of the process.
   */
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNameLength(HeaderReader.MAX_STRING_CHARACTERS)
                  .maxStringLength(HeaderReader.MAX_STRING_CHARACTERS)
                  .maxNumberLength(HeaderReader.MAX_STRING_CHARACTERS)
                  .maxNestingDepth(MAX_DEPTH + 1)
                  .build())
          .build();

  private final JsonParser parser;
  private final Utf8Position position;
  private Optional<String> tensor = Optional.empty();

  private JsonTokens(JsonParser parser, Utf8Position position) {
    this.parser = parser;
    this.position = position;
  }

  /**
   * The tokens of the {@code len} bytes of {@code bytes} from {@code off}, which are valid UTF-8.
   */
  static JsonTokens of(byte[] bytes, int off, int len) throws IOException {
    // Our own decoder: Jackson's guesses the encoding, and takes UTF-16 and a byte order mark.
    InputStreamReader text =
        new InputStreamReader(new ByteArrayInputStream(bytes, off, len), StandardCharsets.UTF_8);
    return new JsonTokens(FACTORY.createParser(text), new Utf8Position(bytes, off));
  }

  /** From here on, what is read belongs to this tensor, or to none. */
  void enter(Optional<String> tensorName) {
    tensor = tensorName;
  }

  /** Steps to the next token. */
  JsonToken next() throws IOException, SafetensorsException {
    JsonToken token = parser.nextToken();
    if (parser.getParsingContext().getNestingDepth() > MAX_DEPTH) {
      throw malformed("it nests deeper than " + MAX_DEPTH + " levels");
    }
    return token;
  }

  /** Whether the text ends here. */
  boolean atEnd() throws IOException {
    return parser.nextToken() == null;
  }

  /** Steps to the next token, which must be {@code expected}. */
  void next(JsonToken expected, String what) throws IOException, SafetensorsException {
    next();
    require(expected, what);
  }

  /** Requires the current token to be {@code expected}; {@code what} says so to a person. */
  void require(JsonToken expected, String what) throws SafetensorsException {
    if (parser.currentToken() != expected) {
      throw malformed(what);
    }
  }

  /** The name that the current token is. */
  String name() throws IOException, SafetensorsException {
    return paired(parser.currentName());
  }

  /** The string that the current token is. */
  String string() throws IOException, SafetensorsException {
    return paired(parser.getText());
  }

  private String paired(String text) throws SafetensorsException {
    if (hasHalfPair(text)) {
      throw malformed("a string escapes half of a surrogate pair");
    }
    return text;
  }

  /** Whether a surrogate stands alone, so that there is no UTF-8 for the text. */
  static boolean hasHalfPair(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  /** The unsigned integer of 64 bits that the current token must be. */
  long unsigned(String what) throws IOException, SafetensorsException {
    require(JsonToken.VALUE_NUMBER_INT, what + " is not an unsigned integer");
    String digits = parser.getText();
    if (digits.charAt(0) == '-') {
      throw malformed(what + " is negative");
    }
    try {
      return Long.parseUnsignedLong(digits);
    } catch (NumberFormatException e) {
      throw malformed(what + " is beyond 64 bits");
    }
  }

  /** The member whose name is the current token, as it stands in the text; its value is passed. */
  String verbatimMember() throws IOException, SafetensorsException {
    int begin = position.of(parser.currentTokenLocation().getCharOffset());
    int depth = 0;
    do {
      switch (next()) {
        case START_OBJECT, START_ARRAY -> depth++;
        case END_OBJECT, END_ARRAY -> depth--;
        case FIELD_NAME -> paired(parser.currentName());
        case VALUE_STRING -> paired(parser.getText());
        case VALUE_NUMBER_FLOAT, VALUE_NUMBER_INT -> requireDouble();
        case VALUE_TRUE, VALUE_FALSE, VALUE_NULL -> {}
        case NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT ->
            throw new IllegalStateException("No token of a text: " + parser.currentToken());
      }
    } while (depth > 0);
    return position.text(begin, position.of(parser.currentLocation().getCharOffset()));
  }

  private void requireDouble() throws IOException, SafetensorsException {
    if (Double.isInfinite(parser.getDoubleValue())) {
      throw malformed("a number is beyond the range of a double");
    }
  }

  /** The text is JSON so far, but not what it should be at the current token. */
  SafetensorsException malformed(String what) {
    return malformed(parser.currentTokenLocation(), what);
  }

  /** The text is not JSON, as Jackson found. */
  SafetensorsException notJson(JsonProcessingException cause) {
    return malformed(placeOf(cause), "not JSON: " + DisplayName.escape(cause.getOriginalMessage()));
  }

  private SafetensorsException malformed(JsonLocation place, String what) {
    return failure(
        Kind.INVALID_HEADER_DESERIALIZATION,
        place,
        what
            + ". The header is damaged, or not by a writer of safetensors: copy or save the file"
            + " again.");
  }

  /** The text is beyond what we take, at the current token. */
  SafetensorsException tooLarge(String what) {
    return tooLarge(parser.currentTokenLocation(), what);
  }

  /** The text is beyond what we let Jackson take. */
  SafetensorsException tooLarge(StreamConstraintsException cause) {
    return tooLarge(placeOf(cause), DisplayName.escape(cause.getOriginalMessage()));
  }

  private SafetensorsException tooLarge(JsonLocation place, String what) {
    return failure(
        Kind.HEADER_TOO_LARGE, place, what + ". No writer of safetensors makes such a header.");
  }

  /** Jackson does not always say where it was. */
  private JsonLocation placeOf(JsonProcessingException cause) {
    return Optional.ofNullable(cause.getLocation()).orElseGet(parser::currentLocation);
  }

  private SafetensorsException failure(Kind kind, JsonLocation place, String what) {
    long offset = HeaderReader.LENGTH_BYTES + position.bytesBefore(place.getCharOffset());
    String entry = tensor.map(name -> ", in the entry of " + DisplayName.of(name)).orElse("");
    return new SafetensorsException(
        kind, tensor, offset, "Byte " + offset + " of the file" + entry + ": " + what);
  }

  @Override
  public void close() throws IOException {
    parser.close();
  }
}
