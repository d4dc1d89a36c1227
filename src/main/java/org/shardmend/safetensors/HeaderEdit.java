package org.shardmend.safetensors;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.shardmend.safetensors.SafetensorsException.Kind;

/**
 * A header after renames and drops, and where each byte of its data section comes from.
 *
 * <p>The JSON keeps its order, and {@code __metadata__} its place. The data keeps its order too,
 * and what lies behind a dropped tensor moves up; unless that would leave a tensor's elements
 * unaligned: then the whole data section is laid out as the reference writer does it, widest
 * elements first, then by name.
 */
public final class HeaderEdit {
  private final Header target;
  private final List<Span> spans;
  private final boolean movesData;

  private HeaderEdit(Header target, List<Span> spans, boolean movesData) {
    this.target = target;
    this.spans = spans;
    this.movesData = movesData;
  }

  /**
   * The edit of {@code source} that these renames and drops ask for.
   *
   * @param renames new names by the old ones; a tensor that is not in it keeps its name
   * @param dropped names of the tensors to leave out
   * @throws SafetensorsException {@link Kind#DUPLICATE_NAME} if two tensors would have one name,
   *     {@link Kind#HEADER_TOO_LARGE} if the new names are too long, {@link
   *     Kind#INVALID_HEADER_DESERIALIZATION} if one is {@code __metadata__}, {@link
   *     Kind#INVALID_HEADER} if one has no UTF-8
   * @throws IllegalArgumentException if a name is not in the source, or both renamed and dropped
   */
  public static HeaderEdit of(
      Header source, Map<String, String> renames, Set<String> dropped, UnknownDtypes policy)
      throws SafetensorsException {
    requireKnown(source, renames.keySet());
    requireKnown(source, dropped);
    requireDisjoint(renames, dropped);
    requireFreeTargets(source, renames, dropped);
    DataLayout layout = DataLayout.of(source, renames, dropped);
    Header target = Header.of(content(source, renames, dropped, layout), policy);
    return new HeaderEdit(target, layout.spans(), layout.movesData());
  }

  /**
   * The same edit, with one more string in {@code __metadata__}, which is made where there is none.
   *
   * @throws SafetensorsException {@link Kind#HEADER_TOO_LARGE} if the header gets too long
   */
  public HeaderEdit withMetadata(String key, String value, UnknownDtypes policy)
      throws SafetensorsException {
    HeaderContent before = target.content();
    Map<String, String> strings = new LinkedHashMap<>(before.freeForm());
    strings.put(key, value);
    int position = Math.max(0, before.metadataPosition());
    HeaderContent after = new HeaderContent(strings, position, before.tensors());
    return new HeaderEdit(Header.of(after, policy), spans, movesData);
  }

  private static void requireKnown(Header source, Set<String> names) {
    for (String name : names) {
      if (source.find(name).isEmpty()) {
        throw new IllegalArgumentException("No such tensor: " + DisplayName.of(name));
      }
    }
  }

  private static void requireDisjoint(Map<String, String> renames, Set<String> dropped) {
    for (String name : dropped) {
      if (renames.containsKey(name)) {
        throw new IllegalArgumentException("Both renamed and dropped: " + DisplayName.of(name));
      }
    }
  }

  private static void requireFreeTargets(
      Header source, Map<String, String> renames, Set<String> dropped) throws SafetensorsException {
    Map<String, String> origins = new HashMap<>();
    for (Map.Entry<String, String> rename : renames.entrySet()) {
      String target = rename.getValue();
      Optional<String> taken = Optional.ofNullable(origins.put(target, rename.getKey()));
      if (taken.isEmpty() && !renames.containsKey(target) && !dropped.contains(target)) {
        taken = source.find(target).map(TensorEntry::name);
      }
      if (taken.isPresent()) {
        throw new SafetensorsException(
            Kind.DUPLICATE_NAME,
            Optional.of(target),
            source.dataBegin() + source.find(rename.getKey()).orElseThrow().begin(),
            String.format(
                "Tensors %s and %s would both be named %s. Rename or drop one of them, not both.",
                DisplayName.of(taken.get()),
                DisplayName.of(rename.getKey()),
                DisplayName.of(target)));
      }
    }
  }

  private static HeaderContent content(
      Header source, Map<String, String> renames, Set<String> dropped, DataLayout layout) {
    List<TensorEntry> entries = new ArrayList<>(source.tensors().size() - dropped.size());
    int position = source.content().metadataPosition();
    int newPosition = position;
    for (int i = 0; i < source.tensors().size(); i++) {
      TensorEntry tensor = source.tensors().get(i);
      if (!dropped.contains(tensor.name())) {
        entries.add(layout.place(tensor).withName(newName(tensor, renames)));
      } else if (i < position) {
        newPosition--;
      }
    }
    return new HeaderContent(source.content().freeForm(), newPosition, entries);
  }

  /** The name that the tensor has after {@code renames}. */
  static String newName(TensorEntry tensor, Map<String, String> renames) {
    return renames.getOrDefault(tensor.name(), tensor.name());
  }

  /** The header after the edit, as for a new file. */
  public Header target() {
    return target;
  }

  /** Whether some kept tensor's data lies elsewhere in the target's data section. */
  public boolean movesData() {
    return movesData;
  }

  /**
   * The target's data section as runs of the source's, in the target's order, without gaps; runs
   * that are neighbors in both are one.
   */
  public List<Span> spans() {
    return spans;
  }
}
