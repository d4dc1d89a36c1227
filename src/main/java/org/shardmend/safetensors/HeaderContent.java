package org.shardmend.safetensors;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a header says, not yet checked.
 *
 * @param freeForm the strings of {@code __metadata__}; empty also when it is absent
 * @param metadataPosition how many tensors precede {@code __metadata__}; {@link #NO_METADATA} when
 *     it is absent
 * @param tensors in the order of the JSON
 */
record HeaderContent(
    Map<String, String> freeForm, int metadataPosition, List<TensorEntry> tensors) {
  static final int NO_METADATA = -1;

  /** Content whose metadata, if it is there, comes first, as the reference writes it. */
  static HeaderContent of(Optional<Map<String, String>> metadata, List<TensorEntry> tensors) {
    return new HeaderContent(
        metadata.orElse(Map.of()), metadata.isPresent() ? 0 : NO_METADATA, tensors);
  }

  /** The strings of {@code __metadata__}, present also when there are none in it. */
  Optional<Map<String, String>> metadata() {
    return metadataPosition == NO_METADATA ? Optional.empty() : Optional.of(freeForm);
  }
}
