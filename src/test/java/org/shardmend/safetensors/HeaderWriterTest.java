package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The bytes are those of the reference writer. */
class HeaderWriterTest {
  private static final TensorEntry TENSOR =
      new TensorEntry("attn0", "F32", Shape.of(1, 1, 2, 3), 0, 24);

  private static String text(byte[] encoded) {
    return new String(encoded, 8, encoded.length - 8, StandardCharsets.UTF_8);
  }

  @Test
  void theJsonIsCompactAndPaddedToEight() throws SafetensorsException {
    byte[] encoded = HeaderWriter.encode(Headers.of(Optional.empty(), TENSOR));
    assertThat(encoded).startsWith(72, 0, 0, 0, 0, 0, 0, 0);
    assertThat(text(encoded))
        .isEqualTo(
            "{\"attn0\":{\"dtype\":\"F32\",\"shape\":[1,1,2,3],\"data_offsets\":[0,24]}}       ");
  }

  @Test
  void metadataIsWrittenAlsoWhenThereIsNothingInIt() throws SafetensorsException {
    assertThat(text(HeaderWriter.encode(Headers.of(Optional.of(Map.of())))))
        .isEqualTo("{\"__metadata__\":{}}     ");
    assertThat(text(HeaderWriter.encode(Headers.of(Optional.empty())))).isEqualTo("{}      ");
  }

  @Test
  void metadataStaysWhereItWas() throws SafetensorsException {
    String json =
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},\"__metadata__\":{\"k\":\"v\"}}";
    Header header = HeaderBytes.read(HeaderBytes.file(json, 1));
    assertThat(text(HeaderWriter.encode(header)).strip()).isEqualTo(json);
  }

  @Test
  void onlyWhatMustBeEscapedIs() throws SafetensorsException {
    String name = "\"\\/\b\f\n\r\t\u0001\u001f\u007fé\u2028日😀";
    Header header =
        Headers.of(Optional.empty(), new TensorEntry(name, "U8", Shape.of(), 0, 1, "\"é\":1"));
    assertThat(text(HeaderWriter.encode(header)).strip())
        .isEqualTo(
            "{\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\u007fé\u2028日😀\":"
                + "{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1],\"é\":1}}");
  }

  @Test
  void aGivenLengthIsKeptOrRefused() throws SafetensorsException {
    Header header = Headers.of(Optional.empty(), TENSOR);
    byte[] fitted = HeaderWriter.encodeInto(header, 100).orElseThrow();
    assertThat(fitted).hasSize(108).startsWith(100, 0, 0, 0, 0, 0, 0, 0).endsWith(' ', ' ');
    assertThat(text(fitted).strip()).isEqualTo(text(HeaderWriter.encode(header)).strip());
    assertThat(HeaderWriter.encodeInto(header, 65)).isPresent();
    assertThat(HeaderWriter.encodeInto(header, 64)).isEmpty();
  }
}
