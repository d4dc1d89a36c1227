package org.shardmend.checkpoint.finding;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.Wording;
import org.shardmend.safetensors.DisplayName;
import org.shardmend.safetensors.TensorEntry;

/**
 * Compares the tensor-parallel ranks of each pipeline stage: all of them hold the same names, types
 * and shapes.
 */
public final class SiblingFindings {
  private static final int EXAMPLES = 3;
  private static final String CURE =
      ". The shards are of different saves, or only some of them were repaired.";

  /**
   * Ranks that differ from a sibling.
   *
   * @param code in what they differ
   * @param reference the rank that they are compared with
   * @param others those that differ from it; at least one
   */
  public record Mismatch(FindingCode code, UnitId reference, List<UnitId> others)
      implements Serializable {}

  private SiblingFindings() {}

  /**
   * The mismatches of all stages, by stage. Where names differ, nothing more is said of the same
   * ranks.
   */
  public static List<Mismatch> mismatches(Collection<UnitSummary> units) {
    SortedMap<Integer, List<UnitSummary>> stages = new TreeMap<>();
    units.forEach(
        unit -> stages.computeIfAbsent(unit.unit().stage(), stage -> new ArrayList<>()).add(unit));
    List<Mismatch> mismatches = new ArrayList<>();
    for (List<UnitSummary> siblings : stages.values()) {
      add(mismatches, FindingCode.SIBLING_NAMES, siblings, UnitSummary::namesDigest);
      List<UnitSummary> alike = alike(siblings);
      add(mismatches, FindingCode.SIBLING_DTYPES, alike, UnitSummary::dtypesDigest);
      add(mismatches, FindingCode.SIBLING_SHAPES, alike, UnitSummary::shapesDigest);
    }
    return mismatches;
  }

  /** A mismatch as a finding, without an example. */
  public static Finding finding(Mismatch mismatch) {
    return mismatch.code().finding("", sentence(mismatch) + CURE);
  }

  /**
   * A mismatch as a finding with examples.
   *
   * @param reference the tensors of {@link Mismatch#reference()}
   * @param other the tensors of the first of {@link Mismatch#others()}
   */
  public static Finding finding(
      Mismatch mismatch, Collection<TensorEntry> reference, Collection<TensorEntry> other) {
    List<String> examples = examples(mismatch, reference, other);
    String shown =
        examples.stream().limit(EXAMPLES).collect(Collectors.joining("; "))
            + (examples.size() > EXAMPLES ? "; and " + (examples.size() - EXAMPLES) + " more" : "");
    return mismatch.code().finding("", sentence(mismatch) + ": " + shown + CURE);
  }

  private static void add(
      List<Mismatch> mismatches,
      FindingCode code,
      List<UnitSummary> siblings,
      Function<UnitSummary, String> digest) {
    if (siblings.size() < 2) {
      return;
    }
    String most = mostFrequent(siblings, digest);
    List<UnitId> others = new ArrayList<>();
    UnitSummary reference = null;
    for (UnitSummary sibling : siblings) {
      if (!digest.apply(sibling).equals(most)) {
        others.add(sibling.unit());
      } else if (reference == null) {
        reference = sibling;
      }
    }
    if (!others.isEmpty() && reference != null) {
      mismatches.add(new Mismatch(code, reference.unit(), List.copyOf(others)));
    }
  }

  /** Those with the names that most have: comparing other things of the others says nothing new. */
  private static List<UnitSummary> alike(List<UnitSummary> siblings) {
    String names = mostFrequent(siblings, UnitSummary::namesDigest);
    return siblings.stream().filter(unit -> unit.namesDigest().equals(names)).toList();
  }

  /** What most have; of two that are equally frequent, the one that comes first. */
  private static String mostFrequent(
      List<UnitSummary> siblings, Function<UnitSummary, String> digest) {
    Map<String, Long> counts =
        siblings.stream().collect(Collectors.groupingBy(digest, Collectors.counting()));
    String most = "";
    for (UnitSummary sibling : siblings) {
      if (counts.get(digest.apply(sibling)) > counts.getOrDefault(most, 0L)) {
        most = digest.apply(sibling);
      }
    }
    return most;
  }

  private static String sentence(Mismatch mismatch) {
    String what =
        switch (mismatch.code()) {
          case SIBLING_NAMES -> "other names";
          case SIBLING_DTYPES -> "other types";
          default -> "other shapes";
        };
    List<String> labels = mismatch.others().stream().map(UnitId::label).toList();
    return Wording.examples(labels)
        + (labels.size() == 1 ? " has " : " have ")
        + what
        + " than "
        + mismatch.reference().label();
  }

  private static List<String> examples(
      Mismatch mismatch, Collection<TensorEntry> reference, Collection<TensorEntry> other) {
    SortedMap<String, TensorEntry> ofReference = byName(reference);
    SortedMap<String, TensorEntry> ofOther = byName(other);
    List<String> examples = new ArrayList<>();
    ofOther.forEach(
        (name, tensor) -> {
          TensorEntry expected = ofReference.get(name);
          if (expected == null) {
            examples.add(DisplayName.of(name) + " is only in " + mismatch.others().get(0).label());
          } else if (mismatch.code() == FindingCode.SIBLING_DTYPES
              && !expected.dtype().equals(tensor.dtype())) {
            examples.add(
                DisplayName.of(name) + " is " + tensor.dtype() + ", not " + expected.dtype());
          } else if (mismatch.code() == FindingCode.SIBLING_SHAPES
              && !expected.shape().equals(tensor.shape())) {
            examples.add(
                DisplayName.of(name) + " is " + tensor.shape() + ", not " + expected.shape());
          }
        });
    ofReference.keySet().stream()
        .filter(name -> !ofOther.containsKey(name))
        .forEach(
            name ->
                examples.add(DisplayName.of(name) + " is only in " + mismatch.reference().label()));
    return examples;
  }

  private static SortedMap<String, TensorEntry> byName(Collection<TensorEntry> tensors) {
    SortedMap<String, TensorEntry> byName = new TreeMap<>();
    tensors.forEach(tensor -> byName.put(tensor.name(), tensor));
    return byName;
  }
}
