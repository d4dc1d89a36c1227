package org.shardmend.safetensors;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A file that is not valid safetensors. The message is for people: it names the tensor and the
 * offset, says what was expected and what to do; it does not name the file, which the codec does
 * not know.
 */
public final class SafetensorsException extends Exception {
  private static final long serialVersionUID = 1L;

  /** What is wrong, by the reference reader's own names, and two of ours. */
  public enum Kind {
    /** Fewer than the 8 bytes of the length. */
    HEADER_TOO_SMALL("HeaderTooSmall"),
    /** The length is over {@link HeaderReader#MAX_HEADER_BYTES}. */
    HEADER_TOO_LARGE("HeaderTooLarge"),
    /** The header reaches beyond the end of the file. */
    INVALID_HEADER_LENGTH("InvalidHeaderLength"),
    /** The header is not UTF-8. */
    INVALID_HEADER("InvalidHeader"),
    /** The header is not the JSON that the format defines. */
    INVALID_HEADER_DESERIALIZATION("InvalidHeaderDeserialization"),
    /** A tensor does not begin where the one before it ended, or ends before it begins. */
    INVALID_OFFSET("InvalidOffset"),
    /** The tensors do not end where the file ends. */
    METADATA_INCOMPLETE_BUFFER("MetadataIncompleteBuffer"),
    /** A tensor's bits are not a whole number of bytes. */
    MISALIGNED_SLICE("MisalignedSlice"),
    /** Shape and type do not give the size that the offsets give. */
    TENSOR_INVALID_INFO("TensorInvalidInfo"),
    /** Shape and type give a size beyond 64 bits. */
    VALIDATION_OVERFLOW("ValidationOverflow"),
    /** A tensor's name occurs twice. The reference accepts it when the last one fits; we do not. */
    DUPLICATE_NAME("DuplicateName");

    private final String referenceName;

    Kind(String referenceName) {
      this.referenceName = referenceName;
    }

    /** The name of the reference reader's error. */
    public String referenceName() {
      return referenceName;
    }
  }

  private final Kind kind;
  private final boolean concernsTensor;
  private final String tensor;
  private final long offset;

  /**
   * An error that concerns the tensor {@code tensor} at {@code offset}.
   *
   * @param tensor the tensor's name, which may be the empty string; empty when no single tensor is
   *     concerned
   * @param offset bytes from the start of the file; negative when no place is concerned
   */
  public SafetensorsException(Kind kind, Optional<String> tensor, long offset, String message) {
    super(message);
    this.kind = kind;
    this.concernsTensor = tensor.isPresent();
    this.tensor = tensor.orElse("");
    this.offset = offset;
  }

  /** What is wrong. */
  public Kind kind() {
    return kind;
  }

  /** The tensor concerned. */
  public Optional<String> tensor() {
    return concernsTensor ? Optional.of(tensor) : Optional.empty();
  }

  /** The place concerned, in bytes from the start of the file. */
  public OptionalLong offset() {
    return offset < 0 ? OptionalLong.empty() : OptionalLong.of(offset);
  }
}
