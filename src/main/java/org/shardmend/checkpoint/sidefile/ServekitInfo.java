package org.shardmend.checkpoint.sidefile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import org.shardmend.checkpoint.json.JsonCursor;
import org.shardmend.checkpoint.json.JsonFormatException;

/**
 * What servekit.json states that the checkpoint can be loaded as. Read leniently: what is missing
 * is empty, what is unknown is named by {@link #unknownKeys()}. The file itself is never rewritten.
 */
public final class ServekitInfo {

  /** The file's name in the checkpoint's directory. */
  public static final String FILE_NAME = "servekit.json";

  private static final List<String> TEXTS =
      List.of("format", "engine", "engine_version", "dtype", "quantization", "source");
  private static final List<String> SIZES = List.of("tp_size", "pp_size", "dp_size");

  private final Map<String, String> texts;
  private final Map<String, Integer> sizes;
  private final List<String> unknownKeys;
  private final List<String> missingKeys;

  private ServekitInfo(
      Map<String, String> texts,
      Map<String, Integer> sizes,
      List<String> unknownKeys,
      List<String> missingKeys) {
    this.texts = Map.copyOf(texts);
    this.sizes = Map.copyOf(sizes);
    this.unknownKeys = List.copyOf(unknownKeys);
    this.missingKeys = List.copyOf(missingKeys);
  }

  public static ServekitInfo read(byte[] json) throws JsonFormatException {
    return JsonCursor.parse(
        json,
        cursor -> {
          Map<String, String> texts = new HashMap<>();
          Map<String, Integer> sizes = new HashMap<>();
          List<String> unknown = new ArrayList<>();
          TreeSet<String> missing = new TreeSet<>(TEXTS);
          missing.addAll(SIZES);
          cursor.object(
              FILE_NAME,
              member -> {
                missing.remove(member);
                if (SIZES.contains(member)) {
                  sizes.put(member, (int) cursor.integer(member, 1, Integer.MAX_VALUE));
                } else if (!TEXTS.contains(member)) {
                  unknown.add(member);
                  cursor.skip();
                } else if (cursor.isNull()) {
                  cursor.skip();
                } else {
                  texts.put(member, cursor.string(member));
                }
              });
          return new ServekitInfo(texts, sizes, unknown, List.copyOf(missing));
        });
  }

  /** The layout, as servekit names it. */
  public Optional<String> format() {
    return text("format");
  }

  /** The engine that saved it: {@code sglang} or {@code vllm}. */
  public Optional<String> engine() {
    return text("engine");
  }

  /** The engine's version. */
  public Optional<String> engineVersion() {
    return text("engine_version");
  }

  /** Tensor-parallel ranks a pipeline stage. */
  public OptionalInt tpSize() {
    return size("tp_size");
  }

  /** Pipeline stages. */
  public OptionalInt ppSize() {
    return size("pp_size");
  }

  /** Data-parallel copies. */
  public OptionalInt dpSize() {
    return size("dp_size");
  }

  /** The model's element type, as torch names it: {@code bfloat16}. */
  public Optional<String> dtype() {
    return text("dtype");
  }

  /** The quantization method; empty also where the file says {@code null}. */
  public Optional<String> quantization() {
    return text("quantization");
  }

  /** What was saved. */
  public Optional<String> source() {
    return text("source");
  }

  /** Keys that servekit does not know; each makes {@code launch} fail. */
  public List<String> unknownKeys() {
    return unknownKeys;
  }

  /** Keys that servekit needs and the file lacks; each makes {@code launch} fail. */
  public List<String> missingKeys() {
    return missingKeys;
  }

  private Optional<String> text(String key) {
    return Optional.ofNullable(texts.get(key));
  }

  private OptionalInt size(String key) {
    Integer value = sizes.get(key);
    return value == null ? OptionalInt.empty() : OptionalInt.of(value);
  }
}
