package org.shardmend.safetensors;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * A small file and the reference reader's verdict on it.
 *
 * @param error the reference's error; empty when it accepts the file
 */
public record ConformanceCase(String id, String error, String base64) {
  private static final ObjectMapper JSON = new ObjectMapper();

  public static List<ConformanceCase> all() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                ConformanceCase.class.getResourceAsStream("/conformance/headers.jsonl"),
                StandardCharsets.UTF_8))) {
      return lines.lines().map(ConformanceCase::of).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ConformanceCase of(String line) {
    try {
      JsonNode node = JSON.readTree(line);
      return new ConformanceCase(
          node.get("id").asText(), node.get("error").asText(), node.get("base64").asText());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public byte[] file() {
    return Base64.getDecoder().decode(base64);
  }

  public boolean isAccepted() {
    return error.isEmpty();
  }

  /** A name that is stored twice: ours is stricter than the reference. */
  public boolean hasDuplicateName() {
    return id.endsWith("-dupname");
  }

  @Override
  public String toString() {
    return id + (isAccepted() ? " accepted" : " rejected: " + error);
  }
}
