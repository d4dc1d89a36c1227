package org.shardmend.safetensors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arbitrary valid headers, of up to a dozen tensors of up to a few hundred bytes. */
final class Headers {
  private static final String[] EXTRAS = {
    "",
    "",
    "\"x\":1",
    "\"stride\" : [ 1, -2.5e3, null ]",
    "\"a\":{\"b\":[{}]},\"a\":\"\\ud83d\\ude00 \\u00e9 日本\"",
  };

  private static final List<Dtype> DTYPES = List.of(Dtype.values());

  private Headers() {}

  /** Headers as {@link Header#of} builds them, the metadata anywhere between the tensors. */
  static Arbitrary<Header> all() {
    return Combinators.combine(
            names().set().ofMaxSize(12),
            texts().list().ofMaxSize(4),
            Arbitraries.integers().between(HeaderContent.NO_METADATA, 12),
            Arbitraries.randoms())
        .as((names, texts, position, random) -> header(names, texts, position, random));
  }

  /** Any text but half surrogate pairs; short ones, long ones, look-alikes. */
  static Arbitrary<String> texts() {
    return Arbitraries.oneOf(
            Arbitraries.strings().all().ofMaxLength(12),
            Arbitraries.strings().withChars("ab./\"\\\n\u0000é日").ofMaxLength(6),
            Arbitraries.of("", "model.layers.3.self_attn.attn_mha.kv_b_proj.weight", "😀.weight"))
        .filter(text -> !HeaderJson.hasHalfPair(text));
  }

  private static Arbitrary<String> names() {
    return texts().filter(name -> !name.equals(HeaderReader.METADATA_KEY));
  }

  private static Header header(
      Iterable<String> names, List<String> texts, int position, Random random) {
    List<TensorEntry> tensors = new ArrayList<>();
    names.forEach(name -> tensors.add(unplaced(name, random)));
    Collections.shuffle(tensors, random);
    long end = 0;
    for (int i = 0; i < tensors.size(); i++) {
      tensors.set(i, tensors.get(i).movedTo(end));
      end = tensors.get(i).end();
    }
    Collections.shuffle(tensors, random);
    Map<String, String> metadata = new LinkedHashMap<>();
    texts.forEach(text -> metadata.put(text, text + "!"));
    boolean present = position != HeaderContent.NO_METADATA;
    try {
      return Header.of(
          new HeaderContent(
              present ? metadata : Map.of(), Math.min(position, tensors.size()), tensors),
          UnknownDtypes.REFUSE);
    } catch (SafetensorsException e) {
      throw new AssertionError("The generator makes valid headers", e);
    }
  }

  private static TensorEntry unplaced(String name, Random random) {
    Dtype dtype = DTYPES.get(random.nextInt(DTYPES.size()));
    long[] dimensions = random.longs(random.nextInt(4), 0, 5).toArray();
    if (Shape.of(dimensions).elements() * dtype.bits() % Byte.SIZE != 0) {
      dimensions = new long[] {4, random.nextInt(4)};
    }
    Shape shape = Shape.of(dimensions);
    long bytes = shape.elements() * dtype.bits() / Byte.SIZE;
    return new TensorEntry(
        name, dtype.name(), shape, 0, bytes, EXTRAS[random.nextInt(EXTRAS.length)]);
  }

  /** The same header, with {@code metadata} first. */
  static Header of(Optional<Map<String, String>> metadata, TensorEntry... tensors)
      throws SafetensorsException {
    return Header.of(metadata, List.of(tensors), UnknownDtypes.REFUSE);
  }
}
