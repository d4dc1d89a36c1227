package org.shardmend.checkpoint.sidefile;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.Listing;
import org.shardmend.checkpoint.PlainName;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;
import org.shardmend.checkpoint.json.JsonRewrite;

/**
 * A Hugging Face index: which tensor lies in which file. It is rewritten with everything else kept
 * as it was.
 */
public final class IndexJson {

  /** The name of the index of safetensors files. */
  public static final String FILE_NAME = "model.safetensors.index.json";

  /** The longest index that is read, in bytes. The largest known one has some 20 MB. */
  public static final int MAX_BYTES = Listing.MAX_JSON_BYTES;

  /** What Transformers writes around the names. */
  private static final String EMPTY =
      "{\n  \"metadata\": {\n    \"total_size\": 0\n  },\n  \"weight_map\": {}\n}\n";

  private static final String WEIGHT_MAP = "weight_map";
  private static final String METADATA = "metadata";
  private static final String TOTAL_SIZE = "total_size";

  private final String name;
  private final byte[] json;
  private final Map<String, String> weightMap;
  private final OptionalLong totalSize;
  private final boolean hasMetadata;

  private IndexJson(String name, byte[] json, Content content) {
    this.name = name;
    this.json = json;
    this.weightMap = Collections.unmodifiableMap(content.weightMap);
    this.totalSize = content.totalSize;
    this.hasMetadata = content.hasMetadata;
  }

  /**
   * Reads an index.
   *
   * @param origin the file's name
   * @throws CheckpointException (refused) if it is not JSON, has no weight map, or names a file
   *     that is not a plain name
   */
  public static IndexJson read(byte[] json, String origin) throws CheckpointException {
    IndexJson index;
    try {
      index =
          parse(json, origin)
              .orElseThrow(
                  () -> new JsonFormatException("it has no '" + WEIGHT_MAP + "' object", null));
    } catch (JsonFormatException e) {
      throw CheckpointException.refused(
          FindingCode.MALFORMED_SIDE_FILE.code(),
          origin,
          "",
          origin
              + " cannot be understood: "
              + e.getMessage()
              + ". Put the index that belongs to these shards in its place.",
          e);
    }
    for (String file : new TreeSet<>(index.weightMap.values())) {
      PlainName.require(file, origin);
    }
    return index;
  }

  /** The index in {@code json}; empty when the document has no weight map. */
  public static Optional<IndexJson> parse(byte[] json, String origin) throws JsonFormatException {
    return JsonCursor.parse(
        json,
        cursor -> {
          Content content = new Content();
          cursor.object(
              "the index",
              member -> {
                if (member.equals(WEIGHT_MAP)) {
                  content.hasWeightMap = true;
                  cursor.object(
                      WEIGHT_MAP,
                      tensor -> content.weightMap.put(tensor, cursor.string("a file's name")));
                } else if (member.equals(METADATA) && cursor.isObject()) {
                  content.hasMetadata = true;
                  cursor.object(METADATA, name -> content.readMetadata(cursor, name));
                } else {
                  cursor.skip();
                }
              });
          return content.hasWeightMap
              ? Optional.of(new IndexJson(origin, json, content))
              : Optional.empty();
        });
  }

  /** The file's name. */
  public String name() {
    return name;
  }

  /** Whether there is a {@code metadata} object, even if it says nothing. */
  public boolean hasMetadata() {
    return hasMetadata;
  }

  /** Which file each tensor lies in, in the document's order. */
  public Map<String, String> weightMap() {
    return weightMap;
  }

  /** Length of all tensors' data together, in bytes, where the index gives it as a whole number. */
  public OptionalLong totalSize() {
    return totalSize;
  }

  /**
   * An index of these tensors, with all else that {@code before} says.
   *
   * @param tensors which file each tensor lies in
   */
  public static IndexJson of(
      String name, Optional<IndexJson> before, SortedMap<String, String> tensors) {
    byte[] json = before.map(index -> index.json).orElse(EMPTY.getBytes(StandardCharsets.UTF_8));
    byte[] written =
        JsonRewrite.rewrite(
            json,
            rewrite ->
                rewrite.object(
                    member -> {
                      if (member.equals(WEIGHT_MAP)) {
                        rewrite.skip();
                      } else {
                        rewrite.copy(member);
                      }
                    },
                    () -> {
                      if (before.isPresent() && !before.get().hasMetadata) {
                        rewrite.name(METADATA);
                        rewrite.write(new TreeMap<>());
                      }
                      rewrite.name(WEIGHT_MAP);
                      rewrite.write(tensors);
                    }));
    try {
      return parse(written, name).orElseThrow();
    } catch (JsonFormatException e) {
      throw new IllegalStateException("An index was written that is none.", e);
    }
  }

  /** The document. */
  public byte[] json() {
    return json.clone();
  }

  /**
   * The document with other names.
   *
   * @param target a tensor's new name; empty to leave the tensor out
   * @param newTotalSize the total size to write, in bytes, where the document has one
   */
  public byte[] rewritten(Function<String, Optional<String>> target, long newTotalSize) {
    boolean keepsTotal = totalSize.isPresent() && totalSize.getAsLong() == newTotalSize;
    return JsonRewrite.rewrite(
        json,
        rewrite ->
            rewrite.object(
                member -> {
                  if (member.equals(WEIGHT_MAP)) {
                    rewrite.name(member);
                    rewriteWeightMap(rewrite, target);
                  } else if (member.equals(METADATA) && rewrite.isObject() && !keepsTotal) {
                    rewrite.name(member);
                    rewriteMetadata(rewrite, newTotalSize);
                  } else {
                    rewrite.copy(member);
                  }
                }));
  }

  private static void rewriteWeightMap(
      JsonRewrite rewrite, Function<String, Optional<String>> target) throws IOException {
    rewrite.object(
        tensor -> {
          Optional<String> name = target.apply(tensor);
          if (name.isPresent()) {
            rewrite.copy(name.get());
          } else {
            rewrite.skip();
          }
        });
  }

  private static void rewriteMetadata(JsonRewrite rewrite, long newTotalSize) throws IOException {
    rewrite.object(
        name -> {
          if (name.equals(TOTAL_SIZE)) {
            rewrite.name(name);
            rewrite.write(newTotalSize);
          } else {
            rewrite.copy(name);
          }
        });
  }

  /** What the document says, while it is read. */
  private static final class Content {
    private final Map<String, String> weightMap = new LinkedHashMap<>();
    private boolean hasWeightMap;
    private boolean hasMetadata;
    private OptionalLong totalSize = OptionalLong.empty();

    private void readMetadata(JsonCursor cursor, String name) throws JsonFormatException {
      if (!name.equals(TOTAL_SIZE) || !cursor.isNumber()) {
        cursor.skip();
        return;
      }
      try {
        // Some writers give it as 144575840256.0.
        BigDecimal number = new BigDecimal(cursor.numberText(name));
        totalSize = OptionalLong.of(number.longValueExact());
      } catch (ArithmeticException | NumberFormatException e) { // a fraction, or NaN
        totalSize = OptionalLong.empty(); // what is no whole number of bytes is as good as none
      }
    }
  }
}
