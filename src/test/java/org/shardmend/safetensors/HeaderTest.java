package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.safetensors.SafetensorsException.Kind;

/** A header cannot be built invalid. */
class HeaderTest {
  private static TensorEntry bytes(String name, long begin, long end) {
    return new TensorEntry(name, "U8", Shape.of(end - begin), begin, end);
  }

  private static Kind rejection(TensorEntry... tensors) {
    SafetensorsException rejection =
        catchThrowableOfType(
            SafetensorsException.class, () -> Headers.of(Optional.empty(), tensors));
    assertThat(rejection).as("a rejection").isNotNull();
    return rejection.kind();
  }

  @Test
  void tensorsAreFoundByNameInBothOrders() throws SafetensorsException {
    TensorEntry last = bytes("a", 4, 6);
    TensorEntry empty = bytes("c", 4, 4);
    TensorEntry first = bytes("b", 0, 4);
    Header header = Headers.of(Optional.empty(), last, empty, first);
    assertThat(header.tensors()).containsExactly(last, empty, first);
    assertThat(header.inOffsetOrder()).containsExactly(first, empty, last);
    assertThat(header.find("c")).contains(empty);
    assertThat(header.find("d")).isEmpty();
    assertThat(header.dataBytes()).isEqualTo(6);
  }

  @Test
  void aNewHeaderKnowsTheFileThatItWouldMake() throws SafetensorsException {
    Header header = Headers.of(Optional.of(Map.of("format", "pt")), bytes("a", 0, 3));
    assertThat(header.fileBytes()).isEqualTo(HeaderWriter.encode(header).length + 3);
    assertThat(header.dataBegin()).isEqualTo(8 + header.jsonBytes());
  }

  @Test
  void equalNamesGapsAndWrongSizesAreRefused() {
    assertThat(rejection(bytes("a", 0, 1), bytes("a", 1, 2))).isEqualTo(Kind.DUPLICATE_NAME);
    assertThat(rejection(bytes("a", 1, 2))).isEqualTo(Kind.INVALID_OFFSET);
    assertThat(rejection(new TensorEntry("a", "F32", Shape.of(2), 0, 9)))
        .isEqualTo(Kind.TENSOR_INVALID_INFO);
    assertThat(rejection(new TensorEntry("a", "F5", Shape.of(2), 0, 9)))
        .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
  }

  @Test
  void aNameThatCannotBeReadAgainIsRefused() {
    assertThat(rejection(bytes("__metadata__", 0, 1)))
        .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
    assertThat(rejection(bytes("\ud83d", 0, 1))).isEqualTo(Kind.INVALID_HEADER);
    assertThat(rejection(bytes("\ude00\ud83d", 0, 1))).isEqualTo(Kind.INVALID_HEADER);
    assertThatThrownBy(() -> Headers.of(Optional.of(Map.of("a", "\ud83d"))))
        .isInstanceOf(SafetensorsException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "\"x\"",
        "\"x\":",
        "\"x\":1,",
        ",\"x\":1",
        "\"dtype\":\"U8\"",
        "\"x\":1}",
        " \"x\":1",
        "\"x\":1},\"b\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]",
      })
  void extrasThatAreNoMembersOfAnEntryAreRefused(String extras) {
    assertThat(rejection(new TensorEntry("a", "U8", Shape.of(1), 0, 1, extras)))
        .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
  }

  @Test
  void dataBeyondTheLongestFileIsRefused() {
    List<TensorEntry> tensors = new ArrayList<>();
    long size = 1L << 60;
    for (int i = 0; i < 8; i++) {
      tensors.add(new TensorEntry("t" + i, "U8", Shape.of(size), i * size, (i + 1) * size));
    }
    assertThat(rejection(tensors.toArray(TensorEntry[]::new))).isEqualTo(Kind.VALIDATION_OVERFLOW);
  }

  @Test
  void jsonBeyondTheFormatsLimitIsRefused() {
    String escaped = "\u0001".repeat(HeaderReader.MAX_HEADER_BYTES / 6);
    assertThat(rejection(bytes(escaped, 0, 1))).isEqualTo(Kind.HEADER_TOO_LARGE);
  }

  @Test
  void whatAHeaderWasBuiltFromCannotChangeIt() throws SafetensorsException {
    List<TensorEntry> tensors = new ArrayList<>(List.of(bytes("a", 0, 1)));
    Map<String, String> metadata = new HashMap<>(Map.of("k", "v"));
    Header header = Header.of(Optional.of(metadata), tensors, UnknownDtypes.REFUSE);
    tensors.clear();
    metadata.clear();
    assertThat(header.tensors()).hasSize(1);
    assertThat(header.metadata()).contains(Map.of("k", "v"));
  }

  @Test
  void itIsSerializedAndStillItself() throws Exception {
    byte[] file =
        HeaderBytes.file(
            "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
                + "\"__metadata__\":{\"k\":\"v\"}}   ",
            1);
    Header header = HeaderBytes.read(file);
    Header copy = (Header) deserialized(serialized(header));
    assertThat(copy).isEqualTo(header).hasSameHashCodeAs(header);
    assertThat(copy.jsonBytes()).isEqualTo(header.jsonBytes());
    assertThat(copy.find("a")).isPresent();
  }

  private static byte[] serialized(Object value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  private static Object deserialized(byte[] bytes) throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return in.readObject();
    }
  }
}
