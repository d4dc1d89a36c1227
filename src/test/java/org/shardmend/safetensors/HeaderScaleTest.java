package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A header of many tensors is read, edited and written in seconds. */
class HeaderScaleTest {
  private static final int TENSORS = 200_000;

  @Test
  void twoHundredThousandTensorsAreReadAndWritten() {
    byte[] file = file(TENSORS);
    Header again =
        assertTimeoutPreemptively(
            Duration.ofMinutes(3),
            () -> {
              Header header = HeaderBytes.read(file);
              byte[] fitted = HeaderWriter.encodeInto(header, header.jsonBytes()).orElseThrow();
              System.arraycopy(fitted, 0, file, 0, fitted.length);
              return HeaderBytes.read(file);
            });
    assertThat(again.tensors()).hasSize(TENSORS);
    assertThat(again.find("model.layers." + (TENSORS - 1) + ".w")).isPresent();
  }

  /** Names in no order of anything, as a saver's dictionary might have them. */
  private static byte[] file(int tensors) {
    StringBuilder json = new StringBuilder("{\"__metadata__\":{}");
    for (int i = 0; i < tensors; i++) {
      int name = (int) (i * 7919L % tensors);
      json.append(",\"model.layers.")
          .append(name)
          .append(".w\":{\"dtype\":\"BF16\",\"shape\":[1,1]")
          .append(",\"data_offsets\":[")
          .append(2 * name)
          .append(',')
          .append(2 * name + 2)
          .append("]}");
    }
    return HeaderBytes.file(
        json.append('}').toString().getBytes(StandardCharsets.UTF_8), 2 * tensors);
  }
}
