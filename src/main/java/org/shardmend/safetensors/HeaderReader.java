package org.shardmend.safetensors;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * Reads headers as strictly as the reference reader (the safetensors crate), in its order: length,
 * UTF-8, JSON, the tensors by offset, the file's end. What it rejects is rejected, as the same
 * {@link Kind}; what it accepts is accepted, except
 *
 * <ul>
 *   <li>a tensor's name that occurs twice: {@link Kind#DUPLICATE_NAME};
 *   <li>a dimension of 2<sup>63</sup> or more, which the reference accepts beside a dimension of 0:
 *       {@link Kind#VALIDATION_OVERFLOW};
 *   <li>headers that no writer produces and that would take many times their size in memory: {@link
 *       Kind#HEADER_TOO_LARGE}, see {@link #MAX_STRING_BYTES}, {@link #MAX_DIMENSIONS}, {@link
 *       #MAX_METADATA_ENTRIES}; also one that is over {@link #MAX_HEADER_BYTES} once its entries
 *       are written as objects (the reference takes arrays, too).
 * </ul>
 */
public final class HeaderReader {
  /** The reference reader's limit of a header's JSON, in bytes. */
  public static final int MAX_HEADER_BYTES = 100_000_000;

  /** The JSON's length stands before it: 64 bits, unsigned, little-endian. */
  public static final int LENGTH_BYTES = 8;

  /** The member of the header that is no tensor. */
  static final String METADATA_KEY = "__metadata__";

  /** The longest string, and the longest of what is kept verbatim, in bytes. */
  static final int MAX_STRING_BYTES = 16_000_000;

  /** The dimensions of all tensors together. */
  static final int MAX_DIMENSIONS = 10_000_000;

  /** The entries of {@code __metadata__}. */
  static final int MAX_METADATA_ENTRIES = 1_000_000;

  private static final int DECODED_AT_ONCE = 8192;

  private HeaderReader() {}

  /**
   * The length of the JSON, N: the data section begins at byte 8 + N of the file.
   *
   * @param prefix the file's first bytes; 8 are looked at
   * @param fileBytes the file's length
   * @throws SafetensorsException {@link Kind#HEADER_TOO_SMALL} if there are fewer than 8 bytes,
   *     {@link Kind#HEADER_TOO_LARGE} if N is over {@link #MAX_HEADER_BYTES}, {@link
   *     Kind#INVALID_HEADER_LENGTH} if the file ends before byte 8 + N
   */
  public static int jsonBytes(byte[] prefix, long fileBytes) throws SafetensorsException {
    long available = Math.min(prefix.length, fileBytes);
    if (available < LENGTH_BYTES) {
      throw new SafetensorsException(
          Kind.HEADER_TOO_SMALL,
          Optional.empty(),
          available,
          String.format(
              "The file ends at byte %d, inside the %d bytes of the header's length: it is cut"
                  + " or not safetensors. Copy or save it again.",
              available, LENGTH_BYTES));
    }
    long jsonBytes = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getLong();
    if (Long.compareUnsigned(jsonBytes, MAX_HEADER_BYTES) > 0) {
      throw new SafetensorsException(
          Kind.HEADER_TOO_LARGE,
          Optional.empty(),
          0,
          String.format(
              "The header's length, at byte 0, is %s bytes; the format allows %d. The file is"
                  + " damaged or not safetensors.",
              Long.toUnsignedString(jsonBytes), MAX_HEADER_BYTES));
    }
    if (LENGTH_BYTES + jsonBytes > fileBytes) {
      throw new SafetensorsException(
          Kind.INVALID_HEADER_LENGTH,
          Optional.empty(),
          fileBytes,
          String.format(
              "The file is shorter than its header says, by at least %d bytes: the header ends at"
                  + " byte %d, the file at byte %d. The file is cut: copy or save it again.",
              LENGTH_BYTES + jsonBytes - fileBytes, LENGTH_BYTES + jsonBytes, fileBytes));
    }
    return (int) jsonBytes;
  }

  /**
   * The header whose JSON is the {@code len} bytes of {@code bytes} from {@code off}.
   *
   * @param fileBytes the length of the file that the JSON is from, at least 8 + {@code len}
   * @throws SafetensorsException if it is not valid; offsets are in bytes from the file's start
   * @throws IllegalArgumentException if the file is shorter than the header
   */
  public static Header parse(byte[] bytes, int off, int len, long fileBytes, UnknownDtypes policy)
      throws SafetensorsException {
    if (fileBytes - LENGTH_BYTES < len) {
      throw new IllegalArgumentException(
          "A header of " + len + " bytes does not fit into a file of " + fileBytes);
    }
    requireUtf8(bytes, off, len);
    return Header.read(HeaderJson.parse(bytes, off, len, policy), len, fileBytes, policy);
  }

  /** Decodes in small pieces: what is decoded is not needed, only that it can be. */
  private static void requireUtf8(byte[] bytes, int off, int len) throws SafetensorsException {
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    ByteBuffer in = ByteBuffer.wrap(bytes, off, len);
    CharBuffer out = CharBuffer.allocate(DECODED_AT_ONCE);
    CoderResult result;
    do {
      out.clear();
      result = decoder.decode(in, out, true);
    } while (result.isOverflow());
    if (result.isError()) {
      long offset = LENGTH_BYTES + (long) in.position() - off;
      throw new SafetensorsException(
          Kind.INVALID_HEADER,
          Optional.empty(),
          offset,
          String.format(
              "The header is not UTF-8 at byte %d of the file (0x%02x). The header is damaged, or"
                  + " its length is wrong: copy or save the file again.",
              offset, bytes[in.position()]));
    }
  }
}
