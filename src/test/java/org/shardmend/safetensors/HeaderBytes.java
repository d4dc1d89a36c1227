package org.shardmend.safetensors;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Files for the codec's tests, made from a header's JSON. */
final class HeaderBytes {
  private HeaderBytes() {}

  /** The file of this JSON, followed by {@code dataBytes} zero bytes. */
  static byte[] file(String json, int dataBytes) {
    return file(json.getBytes(StandardCharsets.UTF_8), dataBytes);
  }

  /** The file of this JSON, followed by {@code dataBytes} zero bytes. */
  static byte[] file(byte[] json, int dataBytes) {
    return ByteBuffer.allocate(HeaderReader.LENGTH_BYTES + json.length + dataBytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(json.length)
        .put(json)
        .array();
  }

  /** Reads a whole file's header. */
  static Header read(byte[] file) throws SafetensorsException {
    return read(file, UnknownDtypes.REFUSE);
  }

  /** Reads a whole file's header. */
  static Header read(byte[] file, UnknownDtypes policy) throws SafetensorsException {
    int jsonBytes = HeaderReader.jsonBytes(file, file.length);
    return HeaderReader.parse(file, HeaderReader.LENGTH_BYTES, jsonBytes, file.length, policy);
  }
}
