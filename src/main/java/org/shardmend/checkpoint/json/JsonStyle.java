package org.shardmend.checkpoint.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;

/**
 * The white space and escapes of a JSON document, told from its text, so that a rewritten document
 * differs from it in nothing else than what was changed. Knows the styles of Python's {@code json}
 * module, which writes all documents of the field.
 *
 * @param indent spaces a level; 0 when everything stands on one line
 * @param spaced whether a space follows colons (and commas, on one line)
 * @param escaped whether other characters than ASCII are written as escapes
 * @param ending what follows the document: nothing, or a line break
 */
public record JsonStyle(int indent, boolean spaced, boolean escaped, String ending) {

  /** The style of a document, which is valid JSON. */
  static JsonStyle of(byte[] json) {
    boolean escaped = true;
    for (byte b : json) {
      escaped &= b >= 0;
    }
    // Half a surrogate pair can stand in a document as an escape only.
    escaped |= hasSurrogateEscape(json);
    int indent = 0;
    int first = skipSpace(json, 0) + 1;
    int second = skipSpace(json, first);
    int lineBreak = lastLineBreak(json, first, second);
    if (lineBreak >= 0) {
      indent = second - lineBreak - 1;
    }
    return new JsonStyle(indent, isSpaced(json), escaped, ending(json));
  }

  /** A generator in this style. */
  public JsonGenerator generator(ByteArrayOutputStream into) throws IOException {
    JsonFactory factory =
        JsonFactory.builder()
            .configure(JsonWriteFeature.ESCAPE_NON_ASCII, escaped)
            .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
            .build();
    return factory.createGenerator(into).setPrettyPrinter(new Printer());
  }

  private static boolean hasSurrogateEscape(byte[] json) {
    for (int at = 0; at + 2 < json.length; at++) {
      if (json[at] == '\\' && json[at + 1] == 'u' && (json[at + 2] | ' ') == 'd') {
        return true;
      }
    }
    return false;
  }

  private static int skipSpace(byte[] json, int from) {
    int at = from;
    while (at < json.length && isSpace(json[at])) {
      at++;
    }
    return at;
  }

  private static boolean isSpace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  private static int lastLineBreak(byte[] json, int from, int to) {
    for (int at = Math.min(to, json.length) - 1; at >= from; at--) {
      if (json[at] == '\n') {
        return at;
      }
    }
    return -1;
  }

  /**
   * Whether the first colon outside a string has a space behind it; so it has when there is none.
   */
  private static boolean isSpaced(byte[] json) {
    boolean inString = false;
    for (int at = 0; at < json.length; at++) {
      if (inString && json[at] == '\\') {
        at++;
      } else if (json[at] == '"') {
        inString = !inString;
      } else if (!inString && json[at] == ':') {
        return at + 1 < json.length && json[at + 1] == ' ';
      }
    }
    return true;
  }

  private static String ending(byte[] json) {
    int last = json.length;
    while (last > 0 && isSpace(json[last - 1])) {
      last--;
    }
    return last < json.length ? "\n" : "";
  }

  /** Puts the white space where the style wants it. */
  private final class Printer implements PrettyPrinter {
    private int depth;

    @Override
    public void writeRootValueSeparator(JsonGenerator g) throws IOException {
      g.writeRaw('\n');
    }

    @Override
    public void writeStartObject(JsonGenerator g) throws IOException {
      g.writeRaw('{');
      depth++;
    }

    @Override
    public void writeEndObject(JsonGenerator g, int members) throws IOException {
      end(g, '}', members);
    }

    @Override
    public void writeObjectEntrySeparator(JsonGenerator g) throws IOException {
      separate(g);
    }

    @Override
    public void writeObjectFieldValueSeparator(JsonGenerator g) throws IOException {
      g.writeRaw(spaced ? ": " : ":");
    }

    @Override
    public void writeStartArray(JsonGenerator g) throws IOException {
      g.writeRaw('[');
      depth++;
    }

    @Override
    public void writeEndArray(JsonGenerator g, int elements) throws IOException {
      end(g, ']', elements);
    }

    @Override
    public void writeArrayValueSeparator(JsonGenerator g) throws IOException {
      separate(g);
    }

    @Override
    public void beforeArrayValues(JsonGenerator g) throws IOException {
      newLine(g);
    }

    @Override
    public void beforeObjectEntries(JsonGenerator g) throws IOException {
      newLine(g);
    }

    private void end(JsonGenerator g, char bracket, int values) throws IOException {
      depth--;
      if (values > 0) {
        newLine(g);
      }
      g.writeRaw(bracket);
    }

    private void separate(JsonGenerator g) throws IOException {
      g.writeRaw(indent == 0 && spaced ? ", " : ",");
      newLine(g);
    }

    private void newLine(JsonGenerator g) throws IOException {
      if (indent > 0) {
        g.writeRaw('\n');
        g.writeRaw(" ".repeat(indent * depth));
      }
    }
  }
}
