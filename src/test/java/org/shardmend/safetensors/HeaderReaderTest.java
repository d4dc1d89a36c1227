package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.safetensors.SafetensorsException.Kind;

/** What the conformance files do not reach, by what the reference's deserializer does. */
class HeaderReaderTest {
  private static final String ENTRY = "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}";

  private static Header read(String json, int dataBytes) throws SafetensorsException {
    return HeaderBytes.read(HeaderBytes.file(json, dataBytes));
  }

  private static SafetensorsException rejection(String json, int dataBytes) {
    return rejection(HeaderBytes.file(json, dataBytes));
  }

  private static SafetensorsException rejection(byte[] file) {
    SafetensorsException rejection =
        catchThrowableOfType(SafetensorsException.class, () -> HeaderBytes.read(file));
    assertThat(rejection).as("a rejection").isNotNull();
    return rejection;
  }

  private static Kind kindOf(String json, int dataBytes) {
    return rejection(json, dataBytes).kind();
  }

  @Nested
  class Length {
    @Test
    void aFileOfLessThanEightBytesEndsInsideTheLength() {
      SafetensorsException rejection = rejection(new byte[7]);
      assertThat(rejection.kind()).isEqualTo(Kind.HEADER_TOO_SMALL);
      assertThat(rejection).hasMessageContaining("byte 7");
    }

    @Test
    void aLengthOfTheFormatsMaximumIsReadWhenTheFileHasIt() throws SafetensorsException {
      byte[] prefix = HeaderBytes.file("", 0);
      prefix[3] = 0x05;
      prefix[2] = (byte) 0xf5;
      prefix[1] = (byte) 0xe1;
      assertThat(HeaderReader.jsonBytes(prefix, 100_000_008)).isEqualTo(100_000_000);
      prefix[0] = 1;
      assertThatThrownBy(() -> HeaderReader.jsonBytes(prefix, 100_000_009))
          .hasMessageContaining("100000001");
    }

    @Test
    void aHeaderBeyondTheEndOfTheFileSaysHowMuchIsMissing() {
      byte[] prefix = HeaderBytes.file("{}      ", 0);
      assertThatThrownBy(() -> HeaderReader.jsonBytes(prefix, 13))
          .hasMessageContaining("shorter than its header says, by at least 3 bytes");
    }

    @Test
    void aFileThatCannotHoldTheHeaderIsACallersMistake() {
      byte[] json = "{}".getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> HeaderReader.parse(json, 0, 2, 9, UnknownDtypes.REFUSE))
          .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theJsonMayLieAnywhereInTheArray() throws SafetensorsException {
      byte[] bytes = ("\0\0\0{\"é\":" + ENTRY + "}\0\0").getBytes(StandardCharsets.UTF_8);
      int len = bytes.length - 5;
      Header header = HeaderReader.parse(bytes, 3, len, 8 + len + 4, UnknownDtypes.REFUSE);
      assertThat(header.find("é")).isPresent();
    }
  }

  @Nested
  class Utf8 {
    @ParameterizedTest
    @ValueSource(strings = {"c080", "e08080", "eda080", "f4908080", "f8888080", "80", "c3", "ff"})
    void noOtherFormIsAccepted(String hex) {
      byte[] file = HeaderBytes.file("{\"abcdefgh\":" + ENTRY + "}", 4);
      for (int i = 0; i < hex.length() / 2; i++) {
        file[12 + i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
      }
      SafetensorsException rejection = rejection(file);
      assertThat(rejection.kind()).isEqualTo(Kind.INVALID_HEADER);
      assertThat(rejection.offset()).isEqualTo(OptionalLong.of(12));
    }

    @Test
    void aCharacterCutByTheHeadersEndIsInvalid() {
      byte[] json = {'{', '}', (byte) 0xf0, (byte) 0x9f, (byte) 0x98};
      SafetensorsException rejection = rejection(HeaderBytes.file(json, 0));
      assertThat(rejection.kind()).isEqualTo(Kind.INVALID_HEADER);
      assertThat(rejection.offset()).isEqualTo(OptionalLong.of(10));
    }

    @Test
    void faultsFarIntoALongHeaderAreFound() {
      byte[] file = HeaderBytes.file("{" + " ".repeat(100_000) + "}", 0);
      file[90_000] = (byte) 0xff;
      assertThat(rejection(file).offset()).isEqualTo(OptionalLong.of(90_000));
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"})
    void noOtherEncodingIsGuessed(String charset) {
      byte[] json = ("{\"w\":" + ENTRY + "}").getBytes(Charset.forName(charset));
      assertThat(rejection(HeaderBytes.file(json, 4)).kind())
          .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
    }
  }

  @Nested
  class Json {
    @Test
    void anEntryMayBeAnArray() throws SafetensorsException {
      assertThat(read("{\"w\":[\"F32\",[1],[0,4]]}", 4))
          .isEqualTo(read("{\"w\":" + ENTRY + "}", 4));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "[]",
          "[\"F32\"]",
          "[\"F32\",[1]]",
          "[\"F32\",[1],[0,4],1]",
          "[[1],\"F32\",[0,4]]",
          "{\"dtype\":{},\"shape\":[1],\"data_offsets\":[0,4]}",
          "{\"dtype\":{\"F32\":{}},\"shape\":[1],\"data_offsets\":[0,4]}",
          "{\"dtype\":{\"F32\":null,\"F32\":null},\"shape\":[1],\"data_offsets\":[0,4]}",
          "{\"dtype\":[\"F32\"],\"shape\":[1],\"data_offsets\":[0,4]}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"d\\u0074ype\":\"F32\"}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":1e400}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":\"\\udc00\"}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":{\"\\ud800\":1}}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":tru}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":\"\\q\"}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":\"\t\"}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":01}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"x\":[1,]}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}",
          "{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,4]}",
          "{\"dtype\":\"F32\",\"shape\":[1e0],\"data_offsets\":[0,4]}",
          "{\"dtype\":\"F32\",\"shape\":[true],\"data_offsets\":[0,4]}",
          "null",
          "1",
        })
    void noOtherEntryIsAccepted(String entry) {
      SafetensorsException rejection = rejection("{\"w\":" + entry + "}", 4);
      assertThat(rejection.kind()).isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
      assertThat(rejection.tensor()).contains("w");
      assertThat(rejection).hasMessageContaining("in the entry of 'w'");
    }

    @Test
    void aTypeMayBeAnObjectOfNull() throws SafetensorsException {
      Header header =
          read("{\"w\":{\"dtype\":{\"F32\":null},\"shape\":[1],\"data_offsets\":[0,4]}}", 4);
      assertThat(header.tensors().get(0).dtype()).isEqualTo("F32");
    }

    @Test
    void membersMayBeEscaped() throws SafetensorsException {
      assertThat(
              read(
                  "{\"w\":{\"d\\u0074ype\":\"\\u0046\\u00332\",\"shape\":[1],"
                      + "\"data_offsets\":[0,4]}}",
                  4))
          .isEqualTo(read("{\"w\":" + ENTRY + "}", 4));
    }

    @Test
    void unknownMembersAreKeptAsTheyStand() throws SafetensorsException {
      String json =
          "{\"日本\":{ \"y\" : [ 1e300, {\"é\":\"😀\\ud83d\\ude00\"} ] ,\"dtype\":\"F32\","
              + "\"shape\":[1],\"x\" : -0.5,\"data_offsets\":[0,4],\"x\":\"last\" }}";
      TensorEntry tensor = read(json, 4).tensors().get(0);
      assertThat(tensor.extras())
          .isEqualTo("\"y\" : [ 1e300, {\"é\":\"😀\\ud83d\\ude00\"} ],\"x\" : -0.5,\"x\":\"last\"");
    }

    @Test
    void unknownMembersAreKeptWhereverTheParsersBufferEnds() throws SafetensorsException {
      for (int padding = 3900; padding < 4100; padding++) {
        String json =
            "{"
                + " ".repeat(padding)
                + "\"w\":{\"é\":[1,\"a\"],\"n\":12345,\"dtype\":\"F32\",\"shape\":[1],"
                + "\"t\":true,\"data_offsets\":[0,4],\"s\":\"\\\"\"}}";
        assertThat(read(json, 4).tensors().get(0).extras())
            .isEqualTo("\"é\":[1,\"a\"],\"n\":12345,\"t\":true,\"s\":\"\\\"\"");
      }
    }

    @Test
    void manyUnknownMembersTakeLinearTime() {
      String json = "{\"w\":{" + "\"x\":1,".repeat(1_000_000) + ENTRY.substring(1) + "}";
      TensorEntry tensor =
          assertTimeoutPreemptively(Duration.ofSeconds(60), () -> read(json, 4).tensors().get(0));
      assertThat(tensor.extras()).hasSize(6 * 1_000_000 - 1);
    }

    @Test
    void metadataOfNullIsNoMetadata() throws SafetensorsException {
      assertThat(read("{\"__metadata__\":null}", 0).metadata()).isEmpty();
      assertThat(read("{\"__metadata__\":{}}", 0).metadata()).contains(Map.of());
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "{\"__metadata__\":null,\"__metadata__\":null}",
          "{\"__metadata__\":null,\"__metadata__\":{}}",
          "{\"__metadata__\":{\"a\":null}}",
          "{\"__metadata__\":{\"a\":\"\\ud800\"}}",
          "{\"__metadata__\":true}",
        })
    void noOtherMetadataIsAccepted(String json) {
      assertThat(kindOf(json, 0)).isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
    }

    @Test
    void ofEqualKeysInTheMetadataTheLastCounts() throws SafetensorsException {
      assertThat(read("{\"__metadata__\":{\"a\":\"1\",\"b\":\"2\",\"a\":\"3\"}}", 0).metadata())
          .contains(Map.of("a", "3", "b", "2"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"", " ", "[]", "null", "1", "\"a\"", "{", "{}{}", "{},", "{}\0", "\0{}", "{\0}"})
    void theHeaderIsOneObject(String json) {
      assertThat(kindOf(json, 0)).isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
    }

    @Test
    void whiteSpaceMayStandAroundTheObject() throws SafetensorsException {
      assertThat(read(" \t\r\n{} \t\r\n", 0).tensors()).isEmpty();
    }

    @Test
    void anErrorIsPlacedInBytesNotCharacters() {
      SafetensorsException rejection = rejection("{\"日本😀\":{\"dtype\":7}}", 0);
      assertThat(rejection.offset()).isEqualTo(OptionalLong.of(8 + 23));
    }

    @Test
    void nestingEndsWhereTheReferencesDoes() throws SafetensorsException {
      // The header and the entry are two levels.
      assertThat(read(nested(125), 4).tensors()).hasSize(1);
      assertThat(rejection(nested(126), 4)).hasMessageContaining("deeper than 127 levels");
    }

    @Test
    void aMillionLevelsAreRefusedAtOnce() {
      assertTimeoutPreemptively(
          Duration.ofSeconds(20),
          () -> {
            assertThat(kindOf(nested(1_000_000), 4)).isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
            assertThat(kindOf("[".repeat(1_000_000), 4))
                .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
            assertThat(kindOf("{\"\":".repeat(1_000_000), 4))
                .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
          });
    }

    private String nested(int levels) {
      return "{\"w\":{\"x\":"
          + "[".repeat(levels)
          + "]".repeat(levels)
          + ","
          + ENTRY.substring(1)
          + "}";
    }
  }

  @Nested
  class Names {
    @ParameterizedTest
    @ValueSource(strings = {"", "\\u0000", "\\n\\\"\\\\", "😀", "\\ud83d\\ude00", "\u202e", "."})
    void anyTextIsAName(String escaped) throws SafetensorsException {
      assertThat(read("{\"" + escaped + "\":" + ENTRY + "}", 4).tensors()).hasSize(1);
    }

    @Test
    void longNamesAreStoredExactly() throws SafetensorsException {
      String name = "日".repeat(100_000);
      assertThat(read("{\"" + name + "\":" + ENTRY + "}", 4).find(name)).isPresent();
    }

    @Test
    void aNameThatIsStoredTwiceIsNamed() {
      SafetensorsException rejection =
          rejection("{\"w\":" + ENTRY + ",\"v\":" + ENTRY + ",\"\\u0077\":" + ENTRY + "}", 4);
      assertThat(rejection.kind()).isEqualTo(Kind.DUPLICATE_NAME);
      assertThat(rejection.tensor()).contains("w");
    }

    @Test
    void anEmptyNameIsNamedToo() {
      SafetensorsException rejection = rejection("{\"\":" + ENTRY + ",\"\":" + ENTRY + "}", 4);
      assertThat(rejection.tensor()).contains("");
    }

    @Test
    void unpairedSurrogatesAreNoName() {
      assertThat(kindOf("{\"\\ude00\\ud83d\":" + ENTRY + "}", 4))
          .isEqualTo(Kind.INVALID_HEADER_DESERIALIZATION);
    }
  }

  @Nested
  class Tensors {
    private String tensor(String dtype, String shape, String begin, String end) {
      return String.format(
          "\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%s,%s]}",
          begin, dtype, shape, begin, end);
    }

    private String header(String... tensors) {
      return "{" + String.join(",", tensors) + "}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807", "9223372036854775808", "18446744073709551615"})
    void offsetsNearTheLimitsAreCompared(String end) {
      assertThat(kindOf(header(tensor("U8", "[4]", "0", end)), 4))
          .isEqualTo(Kind.TENSOR_INVALID_INFO);
      assertThat(kindOf(header(tensor("U8", "[4]", end, "0")), 4)).isEqualTo(Kind.INVALID_OFFSET);
      assertThat(kindOf(header(tensor("U8", "[0]", end, end)), 4)).isEqualTo(Kind.INVALID_OFFSET);
    }

    @Test
    void sizesNearTheLimitsAreCompared() {
      assertThat(kindOf(header(tensor("U8", "[2305843009213693951]", "0", "4")), 4))
          .isEqualTo(Kind.TENSOR_INVALID_INFO);
      assertThat(kindOf(header(tensor("U8", "[2305843009213693952]", "0", "4")), 4))
          .isEqualTo(Kind.VALIDATION_OVERFLOW);
      assertThat(kindOf(header(tensor("F4", "[4294967296,4294967296]", "0", "4")), 4))
          .isEqualTo(Kind.VALIDATION_OVERFLOW);
      assertThat(kindOf(header(tensor("F4", "[4611686018427387901]", "0", "4")), 4))
          .isEqualTo(Kind.MISALIGNED_SLICE);
    }

    @Test
    void aChainBeyondSixtyThreeBitsIsATruncatedFile() {
      String[] chain = new String[5];
      for (int i = 0; i < chain.length; i++) {
        chain[i] =
            tensor(
                "U8",
                "[2305843009213693951]",
                Long.toUnsignedString(i * 2305843009213693951L),
                Long.toUnsignedString((i + 1) * 2305843009213693951L));
      }
      SafetensorsException rejection = rejection(header(chain), 4);
      assertThat(rejection.kind()).isEqualTo(Kind.METADATA_INCOMPLETE_BUFFER);
      assertThat(rejection).hasMessageContaining("shorter");
    }

    @Test
    void aDimensionBeyondSixtyThreeBitsIsRefusedEvenBesideZero() {
      assertThat(kindOf(header(tensor("U8", "[0,9223372036854775808]", "0", "0")), 0))
          .isEqualTo(Kind.VALIDATION_OVERFLOW);
      assertThat(kindOf(header(tensor("U8", "[18446744073709551615,2,0]", "0", "0")), 0))
          .isEqualTo(Kind.VALIDATION_OVERFLOW);
    }

    @Test
    void aProductOfZeroMayPassTwoToTheSixtyThree() throws SafetensorsException {
      Header header = read(header(tensor("U8", "[4611686018427387904,2,0]", "0", "0")), 0);
      assertThat(header.tensors().get(0).shape().elements()).isZero();
    }

    @Test
    void theFirstFaultInOffsetOrderIsReported() {
      SafetensorsException rejection =
          rejection(header(tensor("U8", "[9]", "8", "9"), tensor("F4", "[3]", "0", "8")), 9);
      assertThat(rejection.kind()).isEqualTo(Kind.MISALIGNED_SLICE);
      assertThat(rejection.tensor()).contains("0");
    }

    @Test
    void aGapAndAnOverlapSayHowManyBytesTheyAre() {
      assertThat(rejection(header(tensor("U8", "[4]", "0", "4"), tensor("U8", "[1]", "7", "8")), 8))
          .hasMessageContaining("'7'")
          .hasMessageContaining("3 bytes belong to no tensor");
      assertThat(rejection(header(tensor("U8", "[4]", "0", "4"), tensor("U8", "[6]", "2", "8")), 8))
          .hasMessageContaining("'2'")
          .hasMessageContaining("2 bytes belong to two tensors");
    }

    @Test
    void trailingBytesAreSaidInPlainWords() {
      String json = header(tensor("U8", "[4]", "0", "4"));
      SafetensorsException rejection = rejection(json, 9);
      long end = 8L + json.length() + 4;
      assertThat(rejection.kind()).isEqualTo(Kind.METADATA_INCOMPLETE_BUFFER);
      assertThat(rejection.offset()).isEqualTo(OptionalLong.of(end));
      assertThat(rejection)
          .hasMessageContaining("longer than its header says, by 5 bytes")
          .hasMessageContaining("cut the file to " + end + " bytes");
    }

    @Test
    void aTruncatedFileNamesTheFirstTensorThatIsCut() {
      SafetensorsException rejection =
          rejection(
              header(
                  tensor("U8", "[4]", "0", "4"),
                  tensor("U8", "[4]", "8", "12"),
                  tensor("U8", "[4]", "4", "8")),
              7);
      assertThat(rejection.kind()).isEqualTo(Kind.METADATA_INCOMPLETE_BUFFER);
      assertThat(rejection.tensor()).contains("4");
      assertThat(rejection).hasMessageContaining("shorter than its header says, by 5 bytes");
    }

    @Test
    void anUnknownTypeIsRefusedByItsName() {
      assertThat(rejection(header(tensor("F3", "[4]", "0", "4")), 4))
          .hasMessageContaining("'F3' is not known");
    }

    @Test
    void anUnknownTypeIsCarriedThroughWhenAllowed() throws SafetensorsException {
      byte[] file = HeaderBytes.file(header(tensor("F3", "[7,9]", "0", "4")), 4);
      Header header = HeaderBytes.read(file, UnknownDtypes.ALLOW);
      assertThat(header.find("0").map(TensorEntry::dtype)).isEqualTo(Optional.of("F3"));
      byte[] gap = HeaderBytes.file(header(tensor("F3", "[7,9]", "1", "4")), 4);
      assertThatThrownBy(() -> HeaderBytes.read(gap, UnknownDtypes.ALLOW))
          .hasMessageContaining("1 bytes belong to no tensor");
      byte[] huge = HeaderBytes.file(header(tensor("F3", "[9223372036854775808]", "0", "4")), 4);
      assertThatThrownBy(() -> HeaderBytes.read(huge, UnknownDtypes.ALLOW))
          .hasMessageContaining("beyond 63 bits");
    }
  }

  @Nested
  class Limits {
    @Test
    void aStringThatNoWriterWritesIsRefused() {
      String json = "{\"" + "a".repeat(HeaderReader.MAX_STRING_BYTES + 1) + "\":" + ENTRY + "}";
      assertThat(kindOf(json, 4)).isEqualTo(Kind.HEADER_TOO_LARGE);
    }

    @Test
    void moreDimensionsThanFitIntoMemoryAreRefused() {
      String json = "{\"w\":[\"U8\",[" + "0,".repeat(HeaderReader.MAX_DIMENSIONS) + "0],[0,0]]}";
      assertThat(kindOf(json, 0)).isEqualTo(Kind.HEADER_TOO_LARGE);
    }

    @Test
    void moreMetadataThanFitsIntoMemoryIsRefused() {
      ByteArrayOutputStream json = new ByteArrayOutputStream();
      json.writeBytes("{\"__metadata__\":{\"\":\"\"".getBytes(StandardCharsets.UTF_8));
      for (int i = 0; i < HeaderReader.MAX_METADATA_ENTRIES; i++) {
        json.writeBytes((",\"" + i + "\":\"\"").getBytes(StandardCharsets.UTF_8));
      }
      json.writeBytes("}}".getBytes(StandardCharsets.UTF_8));
      assertThat(rejection(HeaderBytes.file(json.toByteArray(), 0)).kind())
          .isEqualTo(Kind.HEADER_TOO_LARGE);
    }

    @Test
    void whatWouldBeTooLargeOnceWrittenIsRefused() {
      int entries = HeaderReader.MAX_HEADER_BYTES / 48;
      StringBuilder json = new StringBuilder("{\"-1\":[\"U8\",[],[0,1]]");
      for (int i = 0; i < entries; i++) {
        json.append(",\"").append(i).append("\":[\"U8\",[],[0,1]]");
      }
      assertThat(kindOf(json.append('}').toString(), 1)).isEqualTo(Kind.HEADER_TOO_LARGE);
    }
  }
}
