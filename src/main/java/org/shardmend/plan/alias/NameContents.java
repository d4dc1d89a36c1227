package org.shardmend.plan.alias;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The bytes behind names, as far as they were read: digests of one kind on both sides.
 *
 * @param held of names that a load unit holds
 * @param healthy of names that the same unit of a healthy checkpoint holds
 */
public record NameContents(Map<String, String> held, Map<String, String> healthy) {

  /** Nothing was read. */
  public static final NameContents NOT_READ = new NameContents(Map.of(), Map.of());

  /** Copies the maps, so that the value can't change. */
  public NameContents {
    held = Map.copyOf(held);
    healthy = Map.copyOf(healthy);
  }

  /** Whether the two names hold the same bytes; empty when those of one were not read. */
  Optional<Boolean> areEqual(NamePair pair) {
    return Optional.ofNullable(held.get(pair.from()))
        .flatMap(
            digest ->
                Optional.ofNullable(healthy.get(pair.to())).map(other -> other.equals(digest)));
  }

  /**
   * Whether both sides are saves of the same weights, under whatever names: bytes that one name
   * alone holds on one side, and one name alone on the other. Bytes of several names (ones, zeros)
   * say nothing.
   */
  boolean areOfTheSameWeights() {
    Set<String> alone = heldByOneName(held);
    alone.retainAll(heldByOneName(healthy));
    return !alone.isEmpty();
  }

  private static Set<String> heldByOneName(Map<String, String> contents) {
    Map<String, Long> names =
        contents.values().stream()
            .collect(Collectors.groupingBy(digest -> digest, Collectors.counting()));
    names.values().removeIf(count -> count > 1);
    return new HashSet<>(names.keySet());
  }
}
