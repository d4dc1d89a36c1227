package org.shardmend.checkpoint;

import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.shardmend.safetensors.TensorEntry;

/**
 * What matters of one load unit when units are compared. Its size does not grow with the number of
 * tensors, so that a driver can hold one for every rank.
 *
 * @param unit the load unit
 * @param tensors how many tensors it has
 * @param bytes length of their data together
 * @param namesDigest the same for units with the same names
 * @param dtypesDigest the same for units with the same names and types
 * @param shapesDigest the same for units with the same names and shapes
 * @param dtypes how many tensors of each type there are, by the type's token
 * @param layers the numbers of the layers, by what they are numbered in ({@code model.layers})
 */
public record UnitSummary(
    UnitId unit,
    long tensors,
    long bytes,
    String namesDigest,
    String dtypesDigest,
    String shapesDigest,
    SortedMap<String, Long> dtypes,
    SortedMap<String, BitSet> layers)
    implements Serializable {

  /** Copies the maps. */
  public UnitSummary {
    dtypes = Collections.unmodifiableSortedMap(new TreeMap<>(dtypes));
    SortedMap<String, BitSet> copies = new TreeMap<>();
    layers.forEach((stack, numbers) -> copies.put(stack, (BitSet) numbers.clone()));
    layers = Collections.unmodifiableSortedMap(copies);
  }

  /** The summary of a unit whose names stand in its shards' headers. */
  public static UnitSummary ofShards(UnitId unit, List<ScannedShard> shards) {
    return of(unit, shards.stream().flatMap(shard -> shard.header().tensors().stream()).toList());
  }

  /** The summary of a unit with these tensors, under the names that the model knows. */
  public static UnitSummary of(UnitId unit, Collection<TensorEntry> tensors) {
    List<TensorEntry> byName =
        tensors.stream()
            .sorted(Comparator.comparing(TensorEntry::name).thenComparing(TensorEntry::dtype))
            .toList();
    SortedMap<String, Long> dtypes = new TreeMap<>();
    SortedMap<String, BitSet> layers = new TreeMap<>();
    for (TensorEntry tensor : byName) {
      dtypes.merge(tensor.dtype(), 1L, Long::sum);
      LayerNumber.of(tensor.name())
          .ifPresent(
              layer ->
                  layers.computeIfAbsent(layer.stack(), stack -> new BitSet()).set(layer.number()));
    }
    return new UnitSummary(
        unit,
        byName.size(),
        byName.stream().mapToLong(TensorEntry::bytes).sum(),
        digest(byName, tensor -> ""),
        digest(byName, TensorEntry::dtype),
        digest(byName, tensor -> tensor.shape().toString()),
        dtypes,
        layers);
  }

  private static String digest(List<TensorEntry> tensors, Function<TensorEntry, String> property) {
    MessageDigest sha256;
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java has SHA-256.", e);
    }
    for (TensorEntry tensor : tensors) {
      update(sha256, tensor.name());
      update(sha256, property.apply(tensor));
    }
    return HexFormat.of().formatHex(sha256.digest());
  }

  private static void update(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    digest.update(bytes);
  }
}
