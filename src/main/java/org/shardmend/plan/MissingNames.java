package org.shardmend.plan;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.shardmend.checkpoint.ExpectedTensor;
import org.shardmend.rules.NameEdit;

/**
 * Pairs names that a loader does not expect with names that it misses: of one type and shape, with
 * the same numbers in them, by the smallest edit that turns one into the other. Where two pairs are
 * equally likely, neither is made.
 */
final class MissingNames {
  private static final Comparator<Candidate> BEST_FIRST =
      Comparator.comparingInt((Candidate c) -> c.edit().cost())
          .thenComparing(Comparator.comparingInt(Candidate::support).reversed())
          .thenComparingInt(Candidate::distance);
  private static final Comparator<Candidate> IN_ORDER =
      BEST_FIRST.thenComparing(c -> c.pair().from()).thenComparing(c -> c.pair().to());

  private MissingNames() {}

  /**
   * @param support how many names the same change is possible for
   * @param distance Levenshtein's, between the segments that change
   */
  private record Candidate(NamePair pair, NameEdit edit, int support, int distance) {}

  private record Change(List<String> from, List<String> to) {}

  /**
   * The pairs, best first.
   *
   * @param unexpected what a load unit holds and its loader does not expect
   * @param missing what the loader expects and the unit does not hold
   */
  static List<NamePair> pair(
      Collection<NamedTensor> unexpected, Map<String, ExpectedTensor> missing) {
    List<Candidate> candidates = candidates(unexpected, missing);
    candidates.sort(IN_ORDER);
    Map<String, List<Candidate>> rivals = new HashMap<>();
    for (Candidate candidate : candidates) {
      rivals.computeIfAbsent("<" + candidate.pair().from(), n -> new ArrayList<>()).add(candidate);
      rivals.computeIfAbsent(">" + candidate.pair().to(), n -> new ArrayList<>()).add(candidate);
    }
    Set<String> taken = new HashSet<>();
    List<NamePair> pairs = new ArrayList<>();
    for (Candidate candidate : candidates) {
      String from = "<" + candidate.pair().from();
      String to = ">" + candidate.pair().to();
      if (taken.contains(from) || taken.contains(to)) {
        continue;
      }
      taken.add(from);
      taken.add(to);
      if (isBestAlone(candidate, rivals.get(from)) && isBestAlone(candidate, rivals.get(to))) {
        pairs.add(candidate.pair());
      }
    }
    return pairs;
  }

  /** Whether no other candidate for one of its names is as good. */
  private static boolean isBestAlone(Candidate candidate, List<Candidate> rivals) {
    return rivals.stream()
        .noneMatch(
            rival ->
                !rival.pair().equals(candidate.pair())
                    && BEST_FIRST.compare(rival, candidate) == 0);
  }

  private static List<Candidate> candidates(
      Collection<NamedTensor> unexpected, Map<String, ExpectedTensor> missing) {
    Map<List<String>, List<String>> byNumbers = new HashMap<>();
    missing
        .keySet()
        .forEach(
            name ->
                byNumbers
                    .computeIfAbsent(NameEdit.numbers(name), n -> new ArrayList<>())
                    .add(name));
    Map<NamePair, NameEdit> possible = new HashMap<>();
    Map<Change, Integer> support = new HashMap<>();
    for (NamedTensor tensor : unexpected) {
      List<String> sameNumbers = byNumbers.getOrDefault(NameEdit.numbers(tensor.name()), List.of());
      for (String name : sameNumbers) {
        NameEdit edit = NameEdit.between(tensor.name(), name);
        if (edit.keepsMost() && fits(tensor, missing.get(name))) {
          possible.put(new NamePair(tensor.name(), name), edit);
          support.merge(new Change(edit.from(), edit.to()), 1, Integer::sum);
        }
      }
    }
    List<Candidate> candidates = new ArrayList<>();
    possible.forEach(
        (pair, edit) ->
            candidates.add(
                new Candidate(
                    pair, edit, support.get(new Change(edit.from(), edit.to())), distance(edit))));
    return candidates;
  }

  private static boolean fits(NamedTensor tensor, ExpectedTensor expected) {
    return (expected.dtype().isEmpty() || expected.dtype().equals(tensor.dtype()))
        && expected.shape().map(shape -> shape.equals(tensor.shape())).orElse(true);
  }

  private static int distance(NameEdit edit) {
    return LevenshteinDistance.getDefaultInstance()
        .apply(String.join(".", edit.from()), String.join(".", edit.to()));
  }
}
