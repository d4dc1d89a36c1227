package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Damages the conformance files at random, by a seed. Whatever comes of it is a header or a {@link
 * SafetensorsException}; a header is the same again after it was written and read.
 *
 * <p>{@code -Dshardmend.fuzz.iterations=N} runs it longer, {@code -Dshardmend.fuzz.seed=S} makes
 * other damage; {@code scripts/fuzz} does both.
 */
class HeaderMutationFuzzTest {
  private static final int ITERATIONS = Integer.getInteger("shardmend.fuzz.iterations", 20_000);
  private static final long SEED = Long.getLong("shardmend.fuzz.seed", 20261130);

  private static final String[] NUMBERS = {
    "0",
    "-0",
    "1",
    "-1",
    "00",
    "4.0",
    "1e3",
    "1e400",
    "7",
    "8",
    "127",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616"
  };

  private static final String[] SNIPPETS = {
    "\"dtype\":\"F32\",",
    "\"__metadata__\":null,",
    "\"__metadata__\":{},",
    "\"x\":[1,{}],",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "\u0000",
    "é",
    "😀",
    " ",
    "[\"U8\",[0],[0,0]]",
    "{\"F32\":null}"
  };

  private final List<byte[]> files =
      ConformanceCase.all().stream().map(ConformanceCase::file).toList();

  @Test
  void damagedFilesAreReadOrRefused() {
    // A hang is a failure, on a slow machine too: hundreds of files a second is what it takes.
    Duration limit = Duration.ofSeconds(120 + ITERATIONS / 200);
    int accepted = assertTimeoutPreemptively(limit, this::fuzz);
    assertThat(accepted).as("some damage is harmless").isPositive();
  }

  private int fuzz() {
    int accepted = 0;
    for (int i = 0; i < ITERATIONS; i++) {
      Random random = new Random(SEED + i);
      byte[] file = damaged(random);
      UnknownDtypes policy = random.nextBoolean() ? UnknownDtypes.REFUSE : UnknownDtypes.ALLOW;
      try {
        accepted += check(file, policy) ? 1 : 0;
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "-Dshardmend.fuzz.seed=%d, policy %s, file %s"
                .formatted(SEED + i, policy, Base64.getEncoder().encodeToString(file)),
            e);
      }
    }
    return accepted;
  }

  private static boolean check(byte[] file, UnknownDtypes policy) {
    Header header;
    try {
      header = HeaderBytes.read(file, policy);
    } catch (SafetensorsException e) {
      assertThat(e.getMessage()).containsIgnoringCase("byte ").doesNotContain("\n", "\u0000");
      assertThat(e.offset().orElse(0)).isBetween(0L, Long.MAX_VALUE);
      return false;
    }
    assertThat(header.fileBytes()).isEqualTo(file.length);
    requireSameWhenRead(header, HeaderWriter.encode(header), policy);
    HeaderWriter.encodeInto(header, header.jsonBytes())
        .ifPresent(fitted -> requireSameWhenRead(header, fitted, policy));
    return true;
  }

  private static void requireSameWhenRead(Header header, byte[] encoded, UnknownDtypes policy) {
    int fileBytes = Math.toIntExact(encoded.length + header.dataBytes());
    try {
      assertThat(HeaderBytes.read(Arrays.copyOf(encoded, fileBytes), policy)).isEqualTo(header);
    } catch (SafetensorsException e) {
      throw new AssertionError("What was accepted and written is not accepted again", e);
    }
  }

  private byte[] damaged(Random random) {
    byte[] file = pick(random);
    int times = 1 + random.nextInt(3);
    for (int i = 0; i < times; i++) {
      file = damage(file, random);
    }
    return file;
  }

  private byte[] pick(Random random) {
    return files.get(random.nextInt(files.size())).clone();
  }

  private byte[] damage(byte[] file, Random random) {
    if (file.length <= HeaderReader.LENGTH_BYTES) {
      return insert(file, file.length, pick(random));
    }
    int at = random.nextInt(file.length);
    return switch (random.nextInt(8)) {
      case 0 -> flipBit(file, at, random);
      case 1 -> Arrays.copyOf(file, at);
      case 2 -> insert(file, file.length, new byte[1 + random.nextInt(9)]);
      case 3 -> withLength(replaceNumber(file, random));
      case 4 -> withLength(insert(file, inHeader(file, random), utf8(pickOf(SNIPPETS, random))));
      case 5 -> withLength(cut(file, inHeader(file, random), 1 + random.nextInt(12)));
      case 6 -> withLength(insert(file, inHeader(file, random), piece(pick(random), random)));
      default -> withLength(flipBit(file, inHeader(file, random), random));
    };
  }

  private static byte[] flipBit(byte[] file, int at, Random random) {
    file[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
    return file;
  }

  /** Puts an odd number in the place of a number of the header. */
  private static byte[] replaceNumber(byte[] file, Random random) {
    int begin = inHeader(file, random);
    while (begin < file.length && !isDigit(file[begin])) {
      begin++;
    }
    int end = begin;
    while (end < file.length && isDigit(file[end])) {
      end++;
    }
    return insert(cut(file, begin, end - begin), begin, utf8(pickOf(NUMBERS, random)));
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  private static byte[] piece(byte[] file, Random random) {
    int begin = random.nextInt(file.length);
    int end = Math.min(file.length, begin + 1 + random.nextInt(80));
    return Arrays.copyOfRange(file, begin, end);
  }

  private static byte[] insert(byte[] file, int at, byte[] piece) {
    return ByteBuffer.allocate(file.length + piece.length)
        .put(file, 0, at)
        .put(piece)
        .put(file, at, file.length - at)
        .array();
  }

  private static byte[] cut(byte[] file, int at, int length) {
    int cut = Math.min(length, file.length - at);
    return ByteBuffer.allocate(file.length - cut)
        .put(file, 0, at)
        .put(file, at + cut, file.length - at - cut)
        .array();
  }

  /** A place in what looks like the JSON, or its first byte. */
  private static int inHeader(byte[] file, Random random) {
    return HeaderReader.LENGTH_BYTES + random.nextInt(Math.max(1, jsonBytes(file)));
  }

  /** Makes the length fit what now looks like the end of the JSON. */
  private static byte[] withLength(byte[] file) {
    ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).putLong(jsonBytes(file));
    return file;
  }

  /** Length of what looks like the JSON: up to the last brace and the spaces behind it. */
  private static int jsonBytes(byte[] file) {
    int end = file.length;
    while (end > HeaderReader.LENGTH_BYTES && file[end - 1] != '}') {
      end--;
    }
    while (end < file.length && file[end] == ' ') {
      end++;
    }
    return end - HeaderReader.LENGTH_BYTES;
  }

  private static String pickOf(String[] choices, Random random) {
    return choices[random.nextInt(choices.length)];
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
