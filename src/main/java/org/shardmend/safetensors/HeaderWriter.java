package org.shardmend.safetensors;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * Writes headers as the reference writer does: compact JSON, the members of an entry in the order
 * dtype, shape, data_offsets, only those characters escaped that JSON forces us to, everything else
 * as UTF-8, and spaces at the end.
 *
 * <p>No JSON of the same content is shorter (members that the format does not define are kept as
 * they were). So a header whose names get shorter always fits into the length it had, whatever
 * white space and escapes its first writer used.
 */
public final class HeaderWriter {
  /** The reference writer pads until the data section starts at a multiple of this. */
  private static final int ALIGNMENT = 8;

  private static final byte PADDING = ' ';
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private HeaderWriter() {}

  /** The length's 8 bytes and the JSON, padded with spaces to a multiple of 8 bytes in all. */
  public static byte[] encode(Header header) {
    return encode(header, Math.toIntExact(padded(jsonLength(header.content()))));
  }

  /**
   * The length's 8 bytes and exactly {@code jsonBytes} bytes of JSON, padded with spaces, so that
   * the data section begins where it did; empty when the JSON does not fit.
   */
  public static Optional<byte[]> encodeInto(Header header, int jsonBytes) {
    return jsonLength(header.content()) <= jsonBytes
        ? Optional.of(encode(header, jsonBytes))
        : Optional.empty();
  }

  private static byte[] encode(Header header, int jsonBytes) {
    byte[] bytes = new byte[HeaderReader.LENGTH_BYTES + jsonBytes];
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(jsonBytes);
    Arrays.fill(bytes, HeaderReader.LENGTH_BYTES, bytes.length, PADDING);
    write(header.content(), new Filled(bytes, HeaderReader.LENGTH_BYTES));
    return bytes;
  }

  /** The JSON alone. */
  static byte[] json(HeaderContent content) {
    byte[] bytes = new byte[Math.toIntExact(jsonLength(content))];
    write(content, new Filled(bytes, 0));
    return bytes;
  }

  /** Length of the JSON without padding, in bytes. */
  static long jsonLength(HeaderContent content) {
    Counted counted = new Counted();
    write(content, counted);
    return counted.bytes;
  }

  /** The length that {@link #encode} gives to JSON of {@code jsonLength} bytes. */
  static long padded(long jsonLength) {
    return (jsonLength + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  private static void write(HeaderContent content, Sink sink) {
    sink.put('{');
    boolean first = true;
    for (int i = 0; i <= content.tensors().size(); i++) {
      if (i == content.metadataPosition()) {
        first = separate(first, sink);
        writeMetadata(content.freeForm(), sink);
      }
      if (i < content.tensors().size()) {
        first = separate(first, sink);
        writeEntry(content.tensors().get(i), sink);
      }
    }
    sink.put('}');
  }

  private static boolean separate(boolean first, Sink sink) {
    if (!first) {
      sink.put(',');
    }
    return false;
  }

  private static void writeMetadata(Map<String, String> metadata, Sink sink) {
    writeString(HeaderReader.METADATA_KEY, sink);
    sink.put(':');
    sink.put('{');
    boolean first = true;
    for (Map.Entry<String, String> entry : metadata.entrySet()) {
      first = separate(first, sink);
      writeString(entry.getKey(), sink);
      sink.put(':');
      writeString(entry.getValue(), sink);
    }
    sink.put('}');
  }

  private static void writeEntry(TensorEntry tensor, Sink sink) {
    writeString(tensor.name(), sink);
    writeAscii(":{\"dtype\":", sink);
    writeString(tensor.dtype(), sink);
    writeAscii(",\"shape\":[", sink);
    for (int i = 0; i < tensor.shape().rank(); i++) {
      if (i > 0) {
        sink.put(',');
      }
      writeAscii(Long.toUnsignedString(tensor.shape().dimension(i)), sink);
    }
    writeAscii("],\"data_offsets\":[", sink);
    writeAscii(Long.toUnsignedString(tensor.begin()), sink);
    sink.put(',');
    writeAscii(Long.toUnsignedString(tensor.end()), sink);
    sink.put(']');
    if (!tensor.extras().isEmpty()) {
      sink.put(',');
      writeUtf8(tensor.extras(), sink);
    }
    sink.put('}');
  }

  private static void writeAscii(String text, Sink sink) {
    for (int i = 0; i < text.length(); i++) {
      sink.put(text.charAt(i));
    }
  }

  private static void writeUtf8(String text, Sink sink) {
    text.codePoints().forEach(point -> writePoint(point, sink));
  }

  private static void writeString(String text, Sink sink) {
    sink.put('"');
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit < ' ' || unit == '"' || unit == '\\') {
        writeEscaped(unit, sink);
      } else if (unit < 0x80) {
        sink.put(unit);
      } else {
        int point = text.codePointAt(i);
        writePoint(point, sink);
        i += Character.charCount(point) - 1;
      }
    }
    sink.put('"');
  }

  private static void writeEscaped(char unit, Sink sink) {
    sink.put('\\');
    switch (unit) {
      case '"', '\\' -> sink.put(unit);
      case '\b' -> sink.put('b');
      case '\t' -> sink.put('t');
      case '\n' -> sink.put('n');
      case '\f' -> sink.put('f');
      case '\r' -> sink.put('r');
      default -> {
        writeAscii("u00", sink);
        sink.put(HEX[unit >> 4]);
        sink.put(HEX[unit & 0xf]);
      }
    }
  }

  /** As UTF-8. */
  private static void writePoint(int point, Sink sink) {
    if (point < 0x80) {
      sink.put(point);
    } else if (point < 0x800) {
      sink.put(0xc0 | (point >> 6));
      writeContinuation(point, sink);
    } else if (point < 0x10000) {
      sink.put(0xe0 | (point >> 12));
      writeContinuation(point >> 6, sink);
      writeContinuation(point, sink);
    } else {
      sink.put(0xf0 | (point >> 18));
      writeContinuation(point >> 12, sink);
      writeContinuation(point >> 6, sink);
      writeContinuation(point, sink);
    }
  }

  private static void writeContinuation(int bits, Sink sink) {
    sink.put(0x80 | (bits & 0x3f));
  }

  /** Where the bytes of the JSON go. */
  private interface Sink {
    /** Takes the low 8 bits of {@code value}. */
    void put(int value);
  }

  /** Keeps nothing but the number of bytes, so that the array can have its length at once. */
  private static final class Counted implements Sink {
    private long bytes;

    @Override
    public void put(int value) {
      bytes++;
    }
  }

  /** Fills an array. */
  private static final class Filled implements Sink {
    private final byte[] bytes;
    private int position;

    Filled(byte[] bytes, int position) {
      this.bytes = bytes;
      this.position = position;
    }

    @Override
    public void put(int value) {
      bytes[position++] = (byte) value;
    }
  }
}
