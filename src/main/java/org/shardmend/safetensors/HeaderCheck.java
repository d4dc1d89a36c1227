package org.shardmend.safetensors;

import java.util.List;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * The format's rules about tensors, as {@code Metadata::validate} of the safetensors crate has
 * them. Offsets and dimensions are unsigned here: nothing has been refused yet.
 *
 * @param dataBegin where the data section begins, in bytes from the start of the file
 */
record HeaderCheck(long dataBegin, UnknownDtypes policy) {

  /**
   * Requires that no two names are equal.
   *
   * @throws SafetensorsException {@link Kind#DUPLICATE_NAME}
   */
  void requireUniqueNames(TensorEntry[] byName) throws SafetensorsException {
    for (int i = 1; i < byName.length; i++) {
      TensorEntry tensor = byName[i];
      if (tensor.name().equals(byName[i - 1].name())) {
        throw new SafetensorsException(
            Kind.DUPLICATE_NAME,
            Optional.of(tensor.name()),
            dataBegin + tensor.begin(),
            String.format(
                "Two tensors are named %s, one at byte %s of the file, one at byte %s: a loader"
                    + " sees only the one that comes last in the header. Save the file again.",
                DisplayName.of(tensor.name()),
                Long.toUnsignedString(dataBegin + byName[i - 1].begin()),
                Long.toUnsignedString(dataBegin + tensor.begin())));
      }
    }
  }

  /**
   * Walks the tensors once: each begins where the one before it ended, and is as large as its shape
   * and type say.
   *
   * @return the end of the last one, as an unsigned number
   * @throws SafetensorsException {@link Kind#INVALID_OFFSET} or one of {@link #requireSize}'s
   */
  long requireTiling(List<TensorEntry> inOffsetOrder) throws SafetensorsException {
    long end = 0;
    for (TensorEntry tensor : inOffsetOrder) {
      if (tensor.begin() != end) {
        throw faulty(Kind.INVALID_OFFSET, tensor, end, misplaced(tensor, end));
      }
      if (Long.compareUnsigned(tensor.end(), tensor.begin()) < 0) {
        throw faulty(
            Kind.INVALID_OFFSET,
            tensor,
            end,
            "its offsets end at " + Long.toUnsignedString(tensor.end()) + ", before they begin");
      }
      requireSize(tensor);
      end = tensor.end();
    }
    return end;
  }

  private static String misplaced(TensorEntry tensor, long end) {
    boolean gap = Long.compareUnsigned(tensor.begin(), end) > 0;
    return String.format(
        "its offsets begin at %s, but what comes before it ends at %s: %s bytes %s",
        Long.toUnsignedString(tensor.begin()),
        Long.toUnsignedString(end),
        Long.toUnsignedString(gap ? tensor.begin() - end : end - tensor.begin()),
        gap ? "belong to no tensor" : "belong to two tensors");
  }

  private void requireSize(TensorEntry tensor) throws SafetensorsException {
    Optional<Dtype> dtype = Dtype.of(tensor.dtype());
    if (dtype.isEmpty()) {
      requireUnknownAllowed(tensor);
      return;
    }
    long bits = unsignedBits(tensor, dtype.get());
    if (Long.remainderUnsigned(bits, Byte.SIZE) != 0) {
      throw faulty(
          Kind.MISALIGNED_SLICE,
          tensor,
          tensor.begin(),
          String.format(
              "its type %s and shape %s give %s bits, which is no whole number of bytes",
              tensor.dtype(), tensor.shape(), Long.toUnsignedString(bits)));
    }
    if (Long.divideUnsigned(bits, Byte.SIZE) != tensor.bytes()) {
      throw faulty(
          Kind.TENSOR_INVALID_INFO,
          tensor,
          tensor.begin(),
          String.format(
              "its type %s and shape %s give %s bytes, its offsets [%s, %s] give %s",
              tensor.dtype(),
              tensor.shape(),
              Long.toUnsignedString(Long.divideUnsigned(bits, Byte.SIZE)),
              Long.toUnsignedString(tensor.begin()),
              Long.toUnsignedString(tensor.end()),
              Long.toUnsignedString(tensor.bytes())));
    }
    requireSignedDimensions(tensor);
  }

  private void requireUnknownAllowed(TensorEntry tensor) throws SafetensorsException {
    if (policy == UnknownDtypes.REFUSE) {
      throw faulty(
          Kind.INVALID_HEADER_DESERIALIZATION,
          tensor,
          tensor.begin(),
          "its type " + DisplayName.of(tensor.dtype()) + " is not known");
    }
    requireSignedDimensions(tensor);
  }

  private long unsignedBits(TensorEntry tensor, Dtype dtype) throws SafetensorsException {
    try {
      return tensor.shape().unsignedBits(dtype.bits());
    } catch (ArithmeticException e) {
      throw faulty(
          Kind.VALIDATION_OVERFLOW,
          tensor,
          tensor.begin(),
          String.format(
              "the size that its type %s and shape %s give is beyond 64 bits",
              tensor.dtype(), tensor.shape()));
    }
  }

  /** The reference takes any dimension beside a dimension of 0; ours are signed. */
  private void requireSignedDimensions(TensorEntry tensor) throws SafetensorsException {
    for (int i = 0; i < tensor.shape().rank(); i++) {
      if (tensor.shape().dimension(i) < 0) {
        throw faulty(
            Kind.VALIDATION_OVERFLOW,
            tensor,
            tensor.begin(),
            "a dimension of its shape " + tensor.shape() + " is beyond 63 bits");
      }
    }
  }

  private SafetensorsException faulty(Kind kind, TensorEntry tensor, long begin, String what) {
    long offset = dataBegin + begin;
    return new SafetensorsException(
        kind,
        Optional.of(tensor.name()),
        offset,
        String.format(
            "Tensor %s, at byte %s of the file: %s. The header contradicts itself: copy or save the"
                + " file again.",
            DisplayName.of(tensor.name()), Long.toUnsignedString(offset), what));
  }

  /**
   * Requires that the file ends where the last tensor does.
   *
   * @param dataBytes length of the data section by the header, unsigned
   * @throws SafetensorsException {@link Kind#METADATA_INCOMPLETE_BUFFER}
   */
  void requireEnd(List<TensorEntry> inOffsetOrder, long dataBytes, long fileBytes)
      throws SafetensorsException {
    long actual = fileBytes - dataBegin;
    if (Long.compareUnsigned(actual, dataBytes) > 0) {
      throw trailing(dataBytes, fileBytes);
    }
    if (actual != dataBytes) {
      throw truncated(inOffsetOrder, dataBytes, fileBytes);
    }
  }

  private SafetensorsException trailing(long dataBytes, long fileBytes) {
    long end = dataBegin + dataBytes;
    return new SafetensorsException(
        Kind.METADATA_INCOMPLETE_BUFFER,
        Optional.empty(),
        end,
        String.format(
            "The file is longer than its header says, by %d bytes: the tensors end at byte %d, the"
                + " file at byte %d. The bytes between belong to no tensor. If something appended"
                + " them by mistake, cut the file to %d bytes; else save it again.",
            fileBytes - end, end, fileBytes, end));
  }

  private SafetensorsException truncated(
      List<TensorEntry> inOffsetOrder, long dataBytes, long fileBytes) {
    String firstCut =
        inOffsetOrder.stream()
            .filter(tensor -> Long.compareUnsigned(tensor.end(), fileBytes - dataBegin) > 0)
            .map(TensorEntry::name)
            .findFirst()
            .orElseThrow();
    long end = dataBegin + dataBytes;
    return new SafetensorsException(
        Kind.METADATA_INCOMPLETE_BUFFER,
        Optional.of(firstCut),
        fileBytes,
        String.format(
            "The file is shorter than its header says, by %s bytes: the tensors end at byte %s, the"
                + " file at byte %d. It was cut inside tensor %s, and all that follows is missing:"
                + " copy or save the file again.",
            Long.toUnsignedString(end - fileBytes),
            Long.toUnsignedString(end),
            fileBytes,
            DisplayName.of(firstCut)));
  }
}
