package org.shardmend.safetensors;

import java.nio.charset.StandardCharsets;

/**
 * Where a character of decoded UTF-8 is in the bytes. Jackson counts characters (UTF-16 units), a
 * person with a hex editor counts bytes. Asked in rising order it walks the bytes once.
 */
final class Utf8Position {
  private final byte[] bytes;
  private final int start;
  private int index;
  private long units;

  /** For valid UTF-8 in {@code bytes} from {@code start} on. */
  Utf8Position(byte[] bytes, int start) {
    this.bytes = bytes;
    this.start = start;
    this.index = start;
  }

  /** How many bytes precede the character that {@code offset} UTF-16 units precede. */
  long bytesBefore(long offset) {
    return of(offset) - (long) start;
  }

  /** Where in the array the character is that {@code offset} UTF-16 units precede. */
  int of(long offset) {
    if (offset < units) {
      index = start;
      units = 0;
    }
    while (units < offset && index < bytes.length) {
      int lead = bytes[index] & 0xff;
      if (lead < 0x80) {
        index++;
        units++;
      } else if (lead < 0xe0) {
        index += 2;
        units++;
      } else if (lead < 0xf0) {
        index += 3;
        units++;
      } else {
        index += 4;
        units += 2;
      }
    }
    return index;
  }

  /** The text between two places in the array. */
  String text(int begin, int end) {
    return new String(bytes, begin, end - begin, StandardCharsets.UTF_8);
  }
}
