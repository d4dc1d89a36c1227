package org.shardmend.cli.text;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.OutputStream;

/** How documents are written: indented, in UTF-8, and never as a whole in memory. */
public final class JsonText {
  private static final ObjectWriter INDENTED =
      new ObjectMapper()
          .writer()
          .with(SerializationFeature.INDENT_OUTPUT)
          .without(JsonGenerator.Feature.AUTO_CLOSE_TARGET);

  private JsonText() {}

  /** Writes a document; leaves the stream open. */
  public static void write(JsonNode document, OutputStream out) throws IOException {
    INDENTED.writeValue(out, document);
  }
}
