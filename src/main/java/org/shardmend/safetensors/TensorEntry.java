package org.shardmend.safetensors;

import java.io.Serializable;

/**
 * One tensor of a header.
 *
 * @param name the key in the header's JSON object, exactly as decoded
 * @param dtype the type's token; one of {@link Dtype}, or another where the reader was told to
 *     allow unknown types
 * @param shape the dimensions
 * @param begin first byte, relative to the start of the data section
 * @param end one past the last byte, relative to the start of the data section
 * @param extras the members of the entry that the format does not define, verbatim JSON text to be
 *     written after the known ones ({@code "\"k\":1,\"m\":[]"}), empty when there are none
 */
public record TensorEntry(
    String name, String dtype, Shape shape, long begin, long end, String extras)
    implements Serializable {

  /** An entry with no members but the format's own. */
  public TensorEntry(String name, String dtype, Shape shape, long begin, long end) {
    this(name, dtype, shape, begin, end, "");
  }

  /** Size of the tensor's data, in bytes. */
  public long bytes() {
    return end - begin;
  }

  /** The same tensor under another name. */
  public TensorEntry withName(String newName) {
    return new TensorEntry(newName, dtype, shape, begin, end, extras);
  }

  /** The same tensor at another place, {@code newBegin} bytes into the data section. */
  public TensorEntry movedTo(long newBegin) {
    return new TensorEntry(name, dtype, shape, newBegin, newBegin + bytes(), extras);
  }
}
