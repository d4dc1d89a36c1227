package org.shardmend.safetensors;

import static org.shardmend.safetensors.JsonTokens.Token.BEGIN_ARRAY;
import static org.shardmend.safetensors.JsonTokens.Token.BEGIN_OBJECT;
import static org.shardmend.safetensors.JsonTokens.Token.END;
import static org.shardmend.safetensors.JsonTokens.Token.END_ARRAY;
import static org.shardmend.safetensors.JsonTokens.Token.END_OBJECT;
import static org.shardmend.safetensors.JsonTokens.Token.NAME;
import static org.shardmend.safetensors.JsonTokens.Token.NULL;
import static org.shardmend.safetensors.JsonTokens.Token.STRING;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * The JSON of a header, taken apart as the reference's deserializer (serde) does it. Nothing is
 * checked here that takes two tensors to compare. What serde does and one would not guess:
 *
 * <ul>
 *   <li>an entry may be the array of its three values, and a type the object {@code {"F32":null}};
 *   <li>{@code __metadata__} may be null, which is as if it were absent, but may occur only once;
 *   <li>within {@code __metadata__} the last of several equal keys counts;
 *   <li>unknown members of an entry are ignored, but have to be JSON in every respect.
 * </ul>
 */
final class HeaderJson {
  /** What an entry grows by when it is written as an object and not as an array. */
  private static final int MEMBER_NAMES = "\"dtype\":\"shape\":\"data_offsets\":".length();

  private final JsonTokens tokens;
  private final int len;
  private final UnknownDtypes policy;

  private final List<TensorEntry> tensors = new ArrayList<>();
  private final Map<String, String> metadata = new LinkedHashMap<>();
  private int metadataPosition = HeaderContent.NO_METADATA;
  private boolean metadataSeen;
  private long grownBytes;
  private int dimensions;

  private HeaderJson(JsonTokens tokens, int len, UnknownDtypes policy) {
    this.tokens = tokens;
    this.len = len;
    this.policy = policy;
  }

  /**
   * Takes apart the {@code len} bytes of {@code bytes} from {@code off}, which are valid UTF-8.
   *
   * @throws SafetensorsException {@link Kind#INVALID_HEADER_DESERIALIZATION} if they are not the
   *     JSON of a header, {@link Kind#HEADER_TOO_LARGE} if beyond {@link HeaderReader}'s limits
   */
  static HeaderContent parse(byte[] bytes, int off, int len, UnknownDtypes policy)
      throws SafetensorsException {
    return new HeaderJson(new JsonTokens(bytes, off, len), len, policy).header();
  }

  private HeaderContent header() throws SafetensorsException {
    tokens.next(BEGIN_OBJECT, "the header is not a JSON object");
    while (tokens.next() == NAME) {
      String name = tokens.text();
      if (name.equals(HeaderReader.METADATA_KEY)) {
        readMetadata();
      } else {
        tokens.enter(Optional.of(name));
        tensors.add(entry(name));
        tokens.enter(Optional.empty());
      }
    }
    tokens.next(END, "something follows the header's JSON object");
    return new HeaderContent(metadata, metadataPosition, tensors);
  }

  private void readMetadata() throws SafetensorsException {
    if (metadataSeen) {
      throw tokens.malformed("the header has __metadata__ twice");
    }
    metadataSeen = true;
    if (tokens.next() == NULL) {
      return;
    }
    tokens.require(BEGIN_OBJECT, "__metadata__ is neither an object nor null");
    metadataPosition = tensors.size();
    while (tokens.next() == NAME) {
      String key = tokens.text();
      tokens.next(STRING, "a value in __metadata__ is not a string");
      metadata.put(key, tokens.text());
      if (metadata.size() > HeaderReader.MAX_METADATA_ENTRIES) {
        throw tokens.tooLarge(
            "__metadata__ has more than " + HeaderReader.MAX_METADATA_ENTRIES + " members");
      }
    }
  }

  private TensorEntry entry(String name) throws SafetensorsException {
    return tokens.next() == BEGIN_ARRAY ? entryFromArray(name) : entryFromObject(name);
  }

  private TensorEntry entryFromArray(String name) throws SafetensorsException {
    grownBytes += MEMBER_NAMES;
    if (len + grownBytes > HeaderReader.MAX_HEADER_BYTES) {
      throw tokens.tooLarge(
          "with its entries as objects the header is over the format's "
              + HeaderReader.MAX_HEADER_BYTES
              + " bytes");
    }
    String dtype = dtype();
    Shape shape = shape();
    long[] offsets = offsets();
    tokens.next(END_ARRAY, "the entry has more than three values");
    return new TensorEntry(name, dtype, shape, offsets[0], offsets[1]);
  }

  private TensorEntry entryFromObject(String name) throws SafetensorsException {
    tokens.require(BEGIN_OBJECT, "the entry is not an object");
    Optional<String> dtype = Optional.empty();
    Optional<Shape> shape = Optional.empty();
    Optional<long[]> offsets = Optional.empty();
    StringBuilder extras = new StringBuilder();
    while (tokens.next() == NAME) {
      String member = tokens.text();
      switch (member) {
        case "dtype" -> {
          requireFirst(dtype, member);
          dtype = Optional.of(dtype());
        }
        case "shape" -> {
          requireFirst(shape, member);
          shape = Optional.of(shape());
        }
        case "data_offsets" -> {
          requireFirst(offsets, member);
          offsets = Optional.of(offsets());
        }
        default -> extras.append(extras.isEmpty() ? "" : ",").append(tokens.verbatimMember());
      }
    }
    long[] range = given(offsets, "data_offsets");
    return new TensorEntry(
        name, given(dtype, "dtype"), given(shape, "shape"), range[0], range[1], extras.toString());
  }

  private void requireFirst(Optional<?> valueSoFar, String member) throws SafetensorsException {
    if (valueSoFar.isPresent()) {
      throw tokens.malformed("the entry has " + member + " twice");
    }
  }

  private <T> T given(Optional<T> value, String member) throws SafetensorsException {
    return value.orElseThrow(() -> tokens.malformed("the entry has no " + member));
  }

  private String dtype() throws SafetensorsException {
    String token;
    if (tokens.next() == BEGIN_OBJECT) {
      tokens.next(NAME, "dtype is an empty object");
      token = tokens.text();
      tokens.next(NULL, "dtype is an object whose value is not null");
      tokens.next(END_OBJECT, "dtype is an object of several members");
    } else {
      tokens.require(STRING, "dtype is not a string");
      token = tokens.text();
    }
    Optional<Dtype> known = Dtype.of(token);
    if (known.isEmpty() && policy == UnknownDtypes.REFUSE) {
      throw tokens.malformed("the type " + DisplayName.of(token) + " is not known");
    }
    return known.map(Dtype::name).orElse(token);
  }

  private Shape shape() throws SafetensorsException {
    tokens.next(BEGIN_ARRAY, "shape is not an array");
    long[] sizes = new long[4];
    int rank = 0;
    while (tokens.next() != END_ARRAY) {
      if (rank == sizes.length) {
        sizes = Arrays.copyOf(sizes, 2 * rank);
      }
      sizes[rank++] = tokens.unsigned("a dimension");
      if (++dimensions > HeaderReader.MAX_DIMENSIONS) {
        throw tokens.tooLarge(
            "the shapes have more than " + HeaderReader.MAX_DIMENSIONS + " dimensions in all");
      }
    }
    return Shape.ofUnsigned(Arrays.copyOf(sizes, rank));
  }

  private long[] offsets() throws SafetensorsException {
    tokens.next(BEGIN_ARRAY, "data_offsets is not an array");
    tokens.next();
    long begin = tokens.unsigned("the first of data_offsets");
    tokens.next();
    long end = tokens.unsigned("the second of data_offsets");
    tokens.next(END_ARRAY, "data_offsets has more than two values");
    return new long[] {begin, end};
  }

  /**
   * Requires that content which was not read can be written, and be read again as the same.
   *
   * @throws SafetensorsException {@link Kind#INVALID_HEADER} if a string has no UTF-8, {@link
   *     Kind#INVALID_HEADER_DESERIALIZATION} if a tensor has the name of the metadata, or extras
   *     that are not members of an entry
   */
  static void requireWritable(HeaderContent content) throws SafetensorsException {
    for (Map.Entry<String, String> entry : content.freeForm().entrySet()) {
      requireUtf8(entry.getKey(), Optional.empty());
      requireUtf8(entry.getValue(), Optional.empty());
    }
    for (TensorEntry tensor : content.tensors()) {
      Optional<String> name = Optional.of(tensor.name());
      requireUtf8(tensor.name(), name);
      requireUtf8(tensor.dtype(), name);
      requireUtf8(tensor.extras(), name);
      if (tensor.name().equals(HeaderReader.METADATA_KEY)) {
        throw unwritable(
            Kind.INVALID_HEADER_DESERIALIZATION,
            name,
            DisplayName.of(tensor.name()) + " is a name that no tensor can have");
      }
      if (!tensor.extras().isEmpty()) {
        requireMembers(tensor);
      }
    }
  }

  private static void requireUtf8(String text, Optional<String> tensor)
      throws SafetensorsException {
    if (hasHalfPair(text)) {
      throw unwritable(
          Kind.INVALID_HEADER,
          tensor,
          DisplayName.of(text) + " holds half of a surrogate pair, for which there is no UTF-8");
    }
  }

  /** Whether a surrogate stands alone. */
  static boolean hasHalfPair(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  /** Reads what would be written, around an entry that is right but for its extras. */
  private static void requireMembers(TensorEntry tensor) throws SafetensorsException {
    TensorEntry alone =
        new TensorEntry(tensor.name(), Dtype.U8.name(), Shape.of(0), 0, 0, tensor.extras());
    byte[] json =
        HeaderWriter.json(new HeaderContent(Map.of(), HeaderContent.NO_METADATA, List.of(alone)));
    HeaderContent again = parse(json, 0, json.length, UnknownDtypes.REFUSE);
    if (!again.tensors().equals(List.of(alone))) {
      throw unwritable(
          Kind.INVALID_HEADER_DESERIALIZATION,
          Optional.of(tensor.name()),
          String.format(
              "tensor %s has extras that are not members of an entry: %s",
              DisplayName.of(tensor.name()), DisplayName.of(tensor.extras())));
    }
  }

  private static SafetensorsException unwritable(Kind kind, Optional<String> tensor, String what) {
    return new SafetensorsException(
        kind, tensor, -1, "The header cannot be written: " + what + ".");
  }
}
