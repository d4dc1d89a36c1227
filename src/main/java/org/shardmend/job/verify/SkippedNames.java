package org.shardmend.job.verify;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.safetensors.DisplayName;

/**
 * The names that a loader leaves out without harm: everything that the model asks for is there
 * without them.
 *
 * @param count how many
 * @param example one of them, with its rank; empty without any
 */
record SkippedNames(long count, String example) implements Serializable {

  static SkippedNames none() {
    return new SkippedNames(0, "");
  }

  static SkippedNames of(UnitId unit, List<String> names) {
    return names.isEmpty()
        ? none()
        : new SkippedNames(
            names.size(), "%s of %s".formatted(DisplayName.of(names.get(0)), unit.label()));
  }

  /** What there is to say of all units together. */
  static Optional<Finding> finding(Collection<SkippedNames> units) {
    long count = units.stream().mapToLong(SkippedNames::count).sum();
    return units.stream()
        .map(SkippedNames::example)
        .filter(example -> !example.isEmpty())
        .findFirst()
        .map(
            example ->
                FindingCode.SKIPPED_NAMES.finding(
                    "",
                    "the loader leaves %s out, without a word: %s. The model does not ask for %s by %s; tied weights are stored under both of theirs."
                        .formatted(
                            Wording.count(count, "name", "names"),
                            example,
                            count == 1 ? "it" : "them",
                            count == 1 ? "this name" : "these names")));
  }
}
