package org.shardmend.safetensors;

import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * A valid header: its tensors have different names, cover the data section without gap or overlap,
 * and each is as large as its shape and type say. It cannot be built otherwise.
 *
 * <p>Immutable. Its memory is its entries and three references to each. Serialized as its content,
 * and checked again when it is read back.
 */
public final class Header implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final Comparator<TensorEntry> BY_NAME = Comparator.comparing(TensorEntry::name);

  /** As the reference sorts: by begin, then by end. Equal ones are empty; their order is free. */
  private static final Comparator<TensorEntry> BY_OFFSET =
      (left, right) -> {
        int byBegin = Long.compareUnsigned(left.begin(), right.begin());
        return byBegin != 0 ? byBegin : Long.compareUnsigned(left.end(), right.end());
      };

  private final transient HeaderContent content;
  private final transient List<TensorEntry> inOffsetOrder;
  private final transient TensorEntry[] byName;
  private final transient int jsonBytes;
  private final transient long dataBytes;
  private final transient UnknownDtypes policy;

  /** Checks everything but where the file ends; {@code dataBytes} may still be unsigned. */
  private Header(HeaderContent content, int jsonBytes, UnknownDtypes policy)
      throws SafetensorsException {
    this.content =
        new HeaderContent(
            Collections.unmodifiableMap(new LinkedHashMap<>(content.freeForm())),
            content.metadataPosition(),
            List.copyOf(content.tensors()));
    this.jsonBytes = jsonBytes;
    this.policy = policy;
    this.byName = sorted(BY_NAME);
    check().requireUniqueNames(byName);
    this.inOffsetOrder = List.of(sorted(BY_OFFSET));
    this.dataBytes = check().requireTiling(inOffsetOrder);
  }

  private TensorEntry[] sorted(Comparator<TensorEntry> order) {
    TensorEntry[] sorted = tensors().toArray(TensorEntry[]::new);
    Arrays.sort(sorted, order);
    return sorted;
  }

  private HeaderCheck check() {
    return new HeaderCheck(dataBegin(), policy);
  }

  /**
   * A header for a new file, which {@link HeaderWriter#encode} writes.
   *
   * @param metadata the free-form strings, written before the tensors; present also when empty
   * @param tensors in the order in which the JSON is to name them
   * @throws SafetensorsException if it would not be valid; offsets are in bytes from the start of
   *     the file that {@link HeaderWriter#encode} would begin
   */
  public static Header of(
      Optional<Map<String, String>> metadata, List<TensorEntry> tensors, UnknownDtypes policy)
      throws SafetensorsException {
    return of(HeaderContent.of(metadata, tensors), policy);
  }

  /** A header for a new file, with the metadata where {@code content} says. */
  static Header of(HeaderContent content, UnknownDtypes policy) throws SafetensorsException {
    HeaderJson.requireWritable(content);
    long jsonBytes = HeaderWriter.padded(HeaderWriter.jsonLength(content));
    if (jsonBytes > HeaderReader.MAX_HEADER_BYTES) {
      throw new SafetensorsException(
          Kind.HEADER_TOO_LARGE,
          Optional.empty(),
          0,
          String.format(
              "The header would take %d bytes; the format allows %d. Spread the tensors over more"
                  + " files, or give them shorter names.",
              jsonBytes, HeaderReader.MAX_HEADER_BYTES));
    }
    Header header = new Header(content, (int) jsonBytes, policy);
    header.requireFileLength();
    return header;
  }

  private void requireFileLength() throws SafetensorsException {
    if (dataBytes < 0 || fileBytes() < 0) {
      throw new SafetensorsException(
          Kind.VALIDATION_OVERFLOW,
          Optional.empty(),
          0,
          String.format(
              "The file would take over 2^63 bytes: %s bytes of data.",
              Long.toUnsignedString(dataBytes)));
    }
  }

  /**
   * The header of a file of {@code fileBytes} bytes whose JSON takes {@code jsonBytes}.
   *
   * @throws SafetensorsException if it is not valid, or not of a file of that length
   */
  static Header read(HeaderContent content, int jsonBytes, long fileBytes, UnknownDtypes policy)
      throws SafetensorsException {
    Header header = new Header(content, jsonBytes, policy);
    header.check().requireEnd(header.inOffsetOrder, header.dataBytes, fileBytes);
    return header;
  }

  /** The tensors in the order of the JSON. */
  public List<TensorEntry> tensors() {
    return content.tensors();
  }

  /** The tensors in the order of their data; empty ones before what begins at the same place. */
  public List<TensorEntry> inOffsetOrder() {
    return inOffsetOrder;
  }

  /** The free-form strings of {@code __metadata__}; present also when there are none in it. */
  public Optional<Map<String, String>> metadata() {
    return content.metadata();
  }

  /** What the header says, in the order in which it says it. */
  HeaderContent content() {
    return content;
  }

  /** Length of the data section, in bytes. */
  public long dataBytes() {
    return dataBytes;
  }

  /**
   * Length of the JSON with its padding, in bytes: as stored in the file that the header was read
   * from; for a new one, as {@link HeaderWriter#encode} writes it.
   */
  public int jsonBytes() {
    return jsonBytes;
  }

  /** Where the data section begins, in bytes from the start of the file. */
  public long dataBegin() {
    return (long) HeaderReader.LENGTH_BYTES + jsonBytes;
  }

  /** Length of the whole file, in bytes. */
  public long fileBytes() {
    return dataBegin() + dataBytes;
  }

  /** The tensor of this name. */
  public Optional<TensorEntry> find(String name) {
    int low = 0;
    int high = byName.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = byName[middle].name().compareTo(name);
      if (order == 0) {
        return Optional.of(byName[middle]);
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Optional.empty();
  }

  /** Equal when both say the same, in the same order; how long the JSON is does not matter. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Header header && content.equals(header.content);
  }

  @Override
  public int hashCode() {
    return content.hashCode();
  }

  private Object writeReplace() {
    return new Form(
        new LinkedHashMap<>(content.freeForm()),
        content.metadataPosition(),
        new ArrayList<>(tensors()),
        jsonBytes,
        policy);
  }

  private void readObject(ObjectInputStream in) throws InvalidObjectException {
    throw new InvalidObjectException("A header is serialized as its form");
  }

  /** What is serialized. */
  private record Form(
      LinkedHashMap<String, String> freeForm,
      int metadataPosition,
      ArrayList<TensorEntry> tensors,
      int jsonBytes,
      UnknownDtypes policy)
      implements Serializable {

    private Object readResolve() throws InvalidObjectException {
      try {
        Header header =
            new Header(new HeaderContent(freeForm, metadataPosition, tensors), jsonBytes, policy);
        header.requireFileLength();
        return header;
      } catch (SafetensorsException e) {
        InvalidObjectException invalid = new InvalidObjectException(e.getMessage());
        invalid.initCause(e);
        throw invalid;
      }
    }
  }
}
