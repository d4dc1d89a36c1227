package org.shardmend.trial;

import java.util.ArrayList;
import java.util.List;

/** Divides what a rank saves among files. */
final class PartCutter {
  private final long maxBytes;

  PartCutter(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * As the engines' saver does: a new part starts when the next tensor would pass the limit. A
   * first tensor that alone passes it leaves an empty part 0 behind. A new section starts a new
   * part.
   *
   * @return at least one part; the first may hold nothing
   */
  List<List<TrialTensor>> cut(List<List<TrialTensor>> sections) {
    List<List<TrialTensor>> parts = new ArrayList<>();
    for (List<TrialTensor> section : sections) {
      cutSection(section, parts);
    }
    return parts.isEmpty() ? List.of(List.of()) : parts;
  }

  private void cutSection(List<TrialTensor> section, List<List<TrialTensor>> parts) {
    List<TrialTensor> part = new ArrayList<>();
    long bytes = 0;
    for (TrialTensor tensor : section) {
      boolean isFirst = parts.isEmpty() || !part.isEmpty();
      if (isFirst && bytes + tensor.bytes() > maxBytes) {
        parts.add(part);
        part = new ArrayList<>();
        bytes = 0;
      }
      part.add(tensor);
      bytes += tensor.bytes();
    }
    if (!part.isEmpty()) {
      parts.add(part);
    }
  }
}
