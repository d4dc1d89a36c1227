package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.shardmend.safetensors.JsonTokens.Token;

/** Where our tokens and Jackson's are meant to be the same, they are. */
class JsonTokensTest {
  private static final String[] PIECES = {
    "{", "}", "[", "]", ",", ":", "\"", "\\", "/", "-", "+", ".", "e", "E", "0", "1", "u0041",
    "true", "false", "null", "t", " ", "\n", "\t", "\u0001", "\u0000", "é", "日", "😀", "\"a\":"
  };

  private static final JsonFactory JACKSON = new JsonFactory();

  @Property(tries = 5000)
  void theTokensOfAnyTextAreJacksons(@ForAll("randoms") Random random) {
    String text = damaged(value(random, 0), random);
    assertThat(ours(text)).as(text).isEqualTo(jacksons(text));
  }

  @Property
  void theTokensOfAnyJsonAreJacksons(@ForAll("randoms") Random random) {
    String text = value(random, 0);
    assertThat(ours(text)).as(text).isPresent().isEqualTo(jacksons(text));
  }

  @Provide
  Arbitrary<Random> randoms() {
    return Arbitraries.randoms();
  }

  /** Empty when the text is not JSON. */
  private static Optional<List<String>> ours(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    JsonTokens tokens = new JsonTokens(bytes, 0, bytes.length);
    List<String> seen = new ArrayList<>();
    try {
      for (Token token = tokens.next(); token != Token.END; token = tokens.next()) {
        boolean isText = token == Token.NAME || token == Token.STRING;
        seen.add(token + (isText ? " " + tokens.text() : ""));
      }
      return Optional.of(seen);
    } catch (SafetensorsException e) {
      return Optional.empty();
    }
  }

  private static Optional<List<String>> jacksons(String text) {
    List<String> seen = new ArrayList<>();
    int depth = 0;
    try (JsonParser parser = JACKSON.createParser(text)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (depth == 0 && !seen.isEmpty()) {
          return Optional.empty(); // Jackson takes a sequence of values, we take one.
        }
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        boolean isText = token == JsonToken.FIELD_NAME || token == JsonToken.VALUE_STRING;
        seen.add(ourName(token) + (isText ? " " + parser.getText() : ""));
      }
      return seen.isEmpty() ? Optional.empty() : Optional.of(seen);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Token ourName(JsonToken token) {
    return switch (token) {
      case START_OBJECT -> Token.BEGIN_OBJECT;
      case END_OBJECT -> Token.END_OBJECT;
      case START_ARRAY -> Token.BEGIN_ARRAY;
      case END_ARRAY -> Token.END_ARRAY;
      case FIELD_NAME -> Token.NAME;
      case VALUE_STRING -> Token.STRING;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> Token.NUMBER;
      case VALUE_TRUE -> Token.TRUE;
      case VALUE_FALSE -> Token.FALSE;
      case VALUE_NULL -> Token.NULL;
      case NOT_AVAILABLE, VALUE_EMBEDDED_OBJECT -> throw new AssertionError(token);
    };
  }

  private static String value(Random random, int depth) {
    return switch (random.nextInt(depth < 4 ? 8 : 5)) {
      case 0 -> "null";
      case 1 -> random.nextBoolean() ? "true" : "false";
      case 2 -> Long.toString(random.nextLong() >> random.nextInt(64));
      case 3 -> Double.toString(random.nextGaussian() * 1e9);
      case 4 -> string(random);
      case 5, 6 -> "{" + members(random, depth) + "}";
      default -> "[" + elements(random, depth) + "]";
    };
  }

  private static String members(Random random, int depth) {
    List<String> members = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      members.add(string(random) + ": " + value(random, depth + 1));
    }
    return String.join(" ,", members);
  }

  private static String elements(Random random, int depth) {
    List<String> elements = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      elements.add(value(random, depth + 1));
    }
    return String.join(",\n", elements);
  }

  private static String string(Random random) {
    String[] pieces = {
      "a", "é", "日", "😀", "\\n", "\\/", "\\\"", "\\u00e9", "\\ud83d\\uDE00", "\u007f"
    };
    StringBuilder text = new StringBuilder("\"");
    for (int i = random.nextInt(5); i > 0; i--) {
      text.append(pieces[random.nextInt(pieces.length)]);
    }
    return text.append('"').toString();
  }

  /** With one or two pieces put in, or put in the place of a character. */
  private static String damaged(String text, Random random) {
    StringBuilder damaged = new StringBuilder(text);
    for (int i = random.nextInt(3); i > 0; i--) {
      int at =
          damaged.offsetByCodePoints(
              0, random.nextInt(damaged.codePointCount(0, damaged.length()) + 1));
      if (at < damaged.length() && random.nextBoolean()) {
        damaged.delete(at, damaged.offsetByCodePoints(at, 1));
      }
      damaged.insert(at, PIECES[random.nextInt(PIECES.length)]);
    }
    // A half pair is where we differ.
    return damaged.toString().replaceAll("(?i)\\\\ud[89a-f]", "\\\\u0");
  }
}
