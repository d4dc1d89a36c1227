package org.shardmend.safetensors;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * The tokens of a JSON text, as serde_json takes them. Every token is checked when it is passed,
 * whether somebody asks for its value or not.
 *
 * <p>Not Jackson, though it is at hand: it counts characters where we must name the byte, guesses
 * the encoding, takes half surrogate pairs and needs several times a long string's size. Here
 * values are decoded only when asked for, straight from the bytes.
 */
final class JsonTokens {
  /** serde_json gives up on entering the 128th level. */
  private static final int MAX_DEPTH = 127;

  private static final int HEX_DIGITS = 4;
  private static final int HEX_RADIX = 16;

  /** Of up to so many digits every number fits into a long. */
  private static final int SAFE_DIGITS = 18;

  /** What a token is. */
  enum Token {
    /** Before the first. */
    START,
    BEGIN_OBJECT,
    END_OBJECT,
    BEGIN_ARRAY,
    END_ARRAY,
    /** The name of a member; its value comes next. */
    NAME,
    STRING,
    NUMBER,
    TRUE,
    FALSE,
    NULL,
    /** Behind the last. */
    END
  }

  private final byte[] bytes;
  private final int off;
  private final int end;

  private final boolean[] objectAt = new boolean[MAX_DEPTH + 1];
  private int depth;

  private Token token = Token.START;
  private int tokenBegin;
  private int position;
  private boolean escaped;

  private Optional<String> tensor = Optional.empty();

  /** For the {@code len} bytes of {@code bytes} from {@code off}, which are valid UTF-8. */
  JsonTokens(byte[] bytes, int off, int len) {
    this.bytes = bytes;
    this.off = off;
    this.end = off + len;
    this.tokenBegin = off;
    this.position = off;
  }

  /** From here on, what is read belongs to this tensor, or to none; for messages. */
  void enter(Optional<String> tensorName) {
    tensor = tensorName;
  }

  /** Steps to the next token. */
  Token next() throws SafetensorsException {
    skipSpace();
    tokenBegin = position;
    token =
        switch (token) {
          case START -> value();
          case NAME -> valueOfMember();
          case BEGIN_OBJECT -> at('}') ? close(Token.END_OBJECT) : name();
          case BEGIN_ARRAY -> at(']') ? close(Token.END_ARRAY) : value();
          case END_OBJECT, END_ARRAY, STRING, NUMBER, TRUE, FALSE, NULL, END -> afterValue();
        };
    return token;
  }

  private void skipSpace() {
    while (position < end && isSpace(bytes[position])) {
      position++;
    }
  }

  private static boolean isSpace(byte value) {
    return value == ' ' || value == '\n' || value == '\r' || value == '\t';
  }

  private boolean at(char expected) {
    return position < end && bytes[position] == expected;
  }

  private Token afterValue() throws SafetensorsException {
    if (depth == 0) {
      if (position < end) {
        throw notJson("the end");
      }
      return Token.END;
    }
    if (at(objectAt[depth] ? '}' : ']')) {
      return close(objectAt[depth] ? Token.END_OBJECT : Token.END_ARRAY);
    }
    if (!at(',')) {
      throw notJson(objectAt[depth] ? "',' or '}'" : "',' or ']'");
    }
    position++;
    skipSpace();
    tokenBegin = position;
    return objectAt[depth] ? name() : value();
  }

  private Token valueOfMember() throws SafetensorsException {
    if (!at(':')) {
      throw notJson("':'");
    }
    position++;
    skipSpace();
    tokenBegin = position;
    return value();
  }

  private Token name() throws SafetensorsException {
    if (!at('"')) {
      throw notJson("the name of a member, in double quotes");
    }
    passString();
    return Token.NAME;
  }

  private Token value() throws SafetensorsException {
    if (position == end) {
      throw notJson("a value");
    }
    return switch (bytes[position]) {
      case '{' -> open(Token.BEGIN_OBJECT);
      case '[' -> open(Token.BEGIN_ARRAY);
      case '"' -> {
        passString();
        yield Token.STRING;
      }
      case 't' -> word("true", Token.TRUE);
      case 'f' -> word("false", Token.FALSE);
      case 'n' -> word("null", Token.NULL);
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
      default -> throw notJson("a value");
    };
  }

  private Token open(Token begin) throws SafetensorsException {
    if (depth == MAX_DEPTH) {
      throw malformed("it nests deeper than " + MAX_DEPTH + " levels");
    }
    depth++;
    objectAt[depth] = begin == Token.BEGIN_OBJECT;
    position++;
    return begin;
  }

  private Token close(Token closing) {
    depth--;
    position++;
    return closing;
  }

  private Token word(String word, Token meaning) throws SafetensorsException {
    for (int i = 0; i < word.length(); i++) {
      if (!at(word.charAt(i))) {
        throw notJson("the word " + word);
      }
      position++;
    }
    return meaning;
  }

  private Token number() throws SafetensorsException {
    if (at('-')) {
      position++;
    }
    if (at('0')) {
      position++;
    } else {
      passDigits();
    }
    if (at('.')) {
      position++;
      passDigits();
    }
    if (at('e') || at('E')) {
      position++;
      if (at('+') || at('-')) {
        position++;
      }
      passDigits();
    }
    return Token.NUMBER;
  }

  /** At least one. */
  private void passDigits() throws SafetensorsException {
    if (position == end || !isDigit(bytes[position])) {
      throw notJson("a digit");
    }
    while (position < end && isDigit(bytes[position])) {
      position++;
    }
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  private void passString() throws SafetensorsException {
    escaped = false;
    position++;
    while (!at('"')) {
      if (at('\\')) {
        escaped = true;
        passEscape();
      } else if (position == end) {
        throw notJson("the end of a string");
      } else if (bytes[position] >= 0 && bytes[position] < ' ') {
        throw notJson("a string without unescaped control characters");
      } else {
        position++;
      }
    }
    position++;
  }

  /** Of a surrogate pair both halves, which only escapes can part. */
  private void passEscape() throws SafetensorsException {
    char unit = escape();
    if (Character.isHighSurrogate(unit) && at('\\')) {
      char low = escape();
      if (Character.isLowSurrogate(low)) {
        return;
      }
    }
    if (Character.isSurrogate(unit)) {
      throw malformed("a string escapes half of a surrogate pair");
    }
  }

  /** The UTF-16 unit that the escape at the position stands for; passes the escape. */
  private char escape() throws SafetensorsException {
    position++;
    if (position == end) {
      throw notJson("an escape");
    }
    byte kind = bytes[position++];
    return switch (kind) {
      case '"', '\\', '/' -> (char) kind;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> hexUnit();
      default -> {
        position--;
        throw notJson("an escape");
      }
    };
  }

  private char hexUnit() throws SafetensorsException {
    int unit = 0;
    for (int i = 0; i < HEX_DIGITS; i++) {
      // A byte beyond ASCII is negative, and no digit.
      int digit = position < end ? Character.digit((char) bytes[position], HEX_RADIX) : -1;
      if (digit < 0) {
        throw notJson("four hexadecimal digits");
      }
      unit = HEX_RADIX * unit + digit;
      position++;
    }
    return (char) unit;
  }

  /** Steps to the next token, which must be {@code expected}. */
  void next(Token expected, String otherwise) throws SafetensorsException {
    next();
    require(expected, otherwise);
  }

  /** Requires the current token to be {@code expected}; a person reads {@code otherwise}. */
  void require(Token expected, String otherwise) throws SafetensorsException {
    if (token != expected) {
      throw malformed(otherwise);
    }
  }

  /** The text of the name or string that the current token is. */
  String text() throws SafetensorsException {
    int contentEnd = position - 1;
    if (!escaped) {
      return text(tokenBegin + 1, contentEnd);
    }
    StringBuilder text = new StringBuilder();
    int after = position;
    position = tokenBegin + 1;
    while (position < contentEnd) {
      if (at('\\')) {
        text.append(escape());
      } else {
        int runBegin = position;
        while (position < contentEnd && !at('\\')) {
          position++;
        }
        text.append(text(runBegin, position));
      }
    }
    position = after;
    return text.toString();
  }

  private String text(int from, int to) throws SafetensorsException {
    if (to - from > HeaderReader.MAX_STRING_BYTES) {
      throw tooLarge("a value is longer than " + HeaderReader.MAX_STRING_BYTES + " bytes");
    }
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** The unsigned integer of 64 bits that the current token must be. */
  long unsigned(String what) throws SafetensorsException {
    require(Token.NUMBER, what + " is not a number");
    long value = 0;
    for (int i = tokenBegin; i < position; i++) {
      if (!isDigit(bytes[i])) {
        throw malformed(what + " is not an unsigned integer");
      }
      value = 10 * value + (bytes[i] - '0');
    }
    return position - tokenBegin <= SAFE_DIGITS ? value : checkedUnsigned(what);
  }

  private long checkedUnsigned(String what) throws SafetensorsException {
    try {
      return Long.parseUnsignedLong(text(tokenBegin, position));
    } catch (NumberFormatException e) {
      throw malformed(what + " is beyond 64 bits");
    }
  }

  /** Passes the value of the member whose name is the current token; gives both as they stand. */
  String verbatimMember() throws SafetensorsException {
    int memberBegin = tokenBegin;
    int outerDepth = depth;
    do {
      if (next() == Token.NUMBER) {
        requireDouble();
      }
    } while (depth > outerDepth);
    return text(memberBegin, position);
  }

  /** serde_json keeps what it will ignore, and so refuses a number that it cannot keep. */
  private void requireDouble() throws SafetensorsException {
    if (Double.isInfinite(Double.parseDouble(text(tokenBegin, position)))) {
      throw malformed("a number is beyond the range of a double");
    }
  }

  /** The text is JSON so far, but not what it should be at the current token. */
  SafetensorsException malformed(String what) {
    return malformed(tokenBegin, what);
  }

  /** The text is not JSON at the position. */
  private SafetensorsException notJson(String expected) {
    String found = position < end ? found(bytes[position]) : "the header's end";
    return malformed(position, "not JSON, " + expected + " should be here and not " + found);
  }

  private static String found(byte value) {
    return value > ' ' && value < 0x7f
        ? "'" + (char) value + "'"
        : String.format("the byte 0x%02x", value);
  }

  private SafetensorsException malformed(int place, String what) {
    return failure(
        Kind.INVALID_HEADER_DESERIALIZATION,
        place,
        what
            + ". The header is damaged, or not by a writer of safetensors: copy or save the file"
            + " again.");
  }

  /** The text is beyond what we take, at the current token. */
  SafetensorsException tooLarge(String what) {
    return failure(
        Kind.HEADER_TOO_LARGE,
        tokenBegin,
        what + ". No writer of safetensors makes such a header.");
  }

  private SafetensorsException failure(Kind kind, int place, String what) {
    long offset = HeaderReader.LENGTH_BYTES + (long) place - off;
    String entry = tensor.map(name -> ", in the entry of " + DisplayName.of(name)).orElse("");
    return new SafetensorsException(
        kind, tensor, offset, "Byte " + offset + " of the file" + entry + ": " + what);
  }
}
