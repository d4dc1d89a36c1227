package org.shardmend.trial;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.PrettyPrinter;
import java.io.IOException;
import java.util.Optional;

/**
 * White space as Python's {@code json.dumps} sets it. Prints one document: it counts how deep it
 * is.
 */
final class PythonPrinter implements PrettyPrinter {
  private final String lineStart;
  private final String indent;
  private final String comma;
  private int depth;

  /**
   * Prints on one line, or on many.
   *
   * @param indent what a level is indented by; empty for one line
   */
  PythonPrinter(Optional<String> indent) {
    this.lineStart = indent.isPresent() ? "\n" : "";
    this.indent = indent.orElse("");
    this.comma = indent.isPresent() ? "," : ", ";
  }

  @Override
  public void writeRootValueSeparator(JsonGenerator json) {}

  @Override
  public void writeStartObject(JsonGenerator json) throws IOException {
    start(json, '{');
  }

  @Override
  public void beforeObjectEntries(JsonGenerator json) throws IOException {
    startLine(json);
  }

  @Override
  public void writeObjectFieldValueSeparator(JsonGenerator json) throws IOException {
    json.writeRaw(": ");
  }

  @Override
  public void writeObjectEntrySeparator(JsonGenerator json) throws IOException {
    separate(json);
  }

  @Override
  public void writeEndObject(JsonGenerator json, int entries) throws IOException {
    end(json, entries, '}');
  }

  @Override
  public void writeStartArray(JsonGenerator json) throws IOException {
    start(json, '[');
  }

  @Override
  public void beforeArrayValues(JsonGenerator json) throws IOException {
    startLine(json);
  }

  @Override
  public void writeArrayValueSeparator(JsonGenerator json) throws IOException {
    separate(json);
  }

  @Override
  public void writeEndArray(JsonGenerator json, int values) throws IOException {
    end(json, values, ']');
  }

  private void start(JsonGenerator json, char bracket) throws IOException {
    json.writeRaw(bracket);
    depth++;
  }

  private void separate(JsonGenerator json) throws IOException {
    json.writeRaw(comma);
    startLine(json);
  }

  private void end(JsonGenerator json, int children, char bracket) throws IOException {
    depth--;
    if (children > 0) {
      startLine(json);
    }
    json.writeRaw(bracket);
  }

  private void startLine(JsonGenerator json) throws IOException {
    json.writeRaw(lineStart);
    json.writeRaw(indent.repeat(depth));
  }
}
