package org.shardmend.checkpoint;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The text that Python's {@code json.dumps(…, sort_keys=True)} gives, and its digest. */
final class PythonJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();
  private static final JsonStyle STYLE = new JsonStyle(0, true, true, "");
  private static final int SIGNATURE_DIGITS = 16;

  private PythonJson() {}

  /**
   * The first 16 hexadecimal digits of the text's SHA-1; empty when a fraction is in it, whose text
   * only Python knows.
   */
  static Optional<String> sha1(JsonNode node) {
    if (hasFraction(node)) {
      return Optional.empty();
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (JsonGenerator generator = STYLE.generator(text)) {
      MAPPER.writeTree(generator, node);
    } catch (IOException e) {
      throw new IllegalStateException("A tree that was read cannot be written.", e);
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.toByteArray());
      return Optional.of(HexFormat.of().formatHex(digest).substring(0, SIGNATURE_DIGITS));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-1.", e);
    }
  }

  private static boolean hasFraction(JsonNode node) {
    if (node.isFloatingPointNumber()) {
      return true;
    }
    for (JsonNode child : node) {
      if (hasFraction(child)) {
        return true;
      }
    }
    return false;
  }
}
