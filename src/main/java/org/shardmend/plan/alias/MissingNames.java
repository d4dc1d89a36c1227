package org.shardmend.plan.alias;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.plan.NamedTensor;
import org.shardmend.rules.NameEdit;

/**
 * Pairs names that a loader does not expect with names that it misses: of one type and shape, with
 * the same numbers in them. Bytes decide where they were read; else a pair is made only where no
 * other comes as near, or where the same change was shown of another name. How much two names look
 * alike decides nothing: {@code attention_norm} looks like {@code post_attention_layernorm}, and is
 * {@code input_layernorm}.
 */
final class MissingNames {
  /** Leaving segments out or adding some keeps a name; putting others in their place does not. */
  private static final Comparator<Candidate> NEAREST_FIRST =
      Comparator.comparing((Candidate c) -> !c.keepsName()).thenComparingInt(c -> c.edit().cost());

  private final Set<String> unexpected = new TreeSet<>();
  private final Set<String> missing = new TreeSet<>();
  private final List<Candidate> candidates;

  /** Two names that may stand for one tensor. */
  private record Candidate(NamePair pair, NameEdit edit) {
    boolean keepsName() {
      return edit.from().isEmpty() || edit.to().isEmpty();
    }

    Change change() {
      return new Change(edit.generalised().before(), edit.from(), edit.to());
    }
  }

  /** What is the same in all layers, and for all parameters of a module. */
  private record Change(List<String> before, List<String> from, List<String> to) {}

  /**
   * The names of one load unit.
   *
   * @param unexpected what it holds and its loader does not expect
   * @param missing what the loader expects and the unit does not hold
   */
  MissingNames(Collection<NamedTensor> unexpected, Map<String, ExpectedTensor> missing) {
    unexpected.forEach(tensor -> this.unexpected.add(tensor.name()));
    this.missing.addAll(missing.keySet());
    this.candidates = candidates(unexpected, missing);
  }

  /**
   * The pairs whose bytes decide most, if they are read: all that a few names of each kind may
   * stand for.
   *
   * @param most how many names of a kind, which differ in their numbers only
   */
  List<NamePair> toCompare(int most) {
    Map<String, Set<String>> byKind = new TreeMap<>();
    candidates.forEach(
        candidate ->
            byKind
                .computeIfAbsent(
                    NameEdit.withoutNumbers(candidate.pair().from()), kind -> new LinkedHashSet<>())
                .add(candidate.pair().from()));
    Set<String> chosen = new HashSet<>();
    byKind.values().forEach(names -> names.stream().limit(most).forEach(chosen::add));
    return candidates.stream()
        .map(Candidate::pair)
        .filter(pair -> chosen.contains(pair.from()))
        .toList();
  }

  /** What stands for what, by all that is known. */
  Pairing pair(NameContents contents) {
    Matching matching = new Matching(candidates);
    matching.decideByBytes(contents);
    matching.decideByNames();
    Set<String> paired = new HashSet<>();
    matching.pairs.forEach(
        proven -> Stream.of(proven.pair().from(), proven.pair().to()).forEach(paired::add));
    List<AmbiguousName> ambiguous = matching.ambiguous();
    Set<String> doubtful = new HashSet<>();
    matching.open.forEach(
        open -> Stream.of(open.pair().from(), open.pair().to()).forEach(doubtful::add));
    return new Pairing(
        matching.pairs,
        ambiguous,
        unexpected.stream().filter(n -> !paired.contains(n) && !doubtful.contains(n)).toList(),
        missing.stream().filter(n -> !paired.contains(n) && !doubtful.contains(n)).toList());
  }

  /** Candidates that become fewer with every pair that is made. */
  private static final class Matching {
    private final List<ProvenPair> pairs = new ArrayList<>();
    private final Set<Change> shown = new HashSet<>();
    private List<Candidate> open;

    Matching(List<Candidate> candidates) {
      this.open = candidates;
    }

    void decideByBytes(NameContents contents) {
      List<Candidate> equal =
          open.stream().filter(c -> contents.areEqual(c.pair()).orElse(false)).toList();
      if (equal.isEmpty() && !contents.areOfTheSameWeights()) {
        return; // The healthy checkpoint holds other weights, or none were read.
      }
      Set<Change> disproved = new HashSet<>();
      open.stream()
          .filter(c -> !contents.areEqual(c.pair()).orElse(true))
          .forEach(c -> disproved.add(c.change()));
      equal.forEach(c -> disproved.remove(c.change()));
      open =
          open.stream()
              .filter(c -> contents.areEqual(c.pair()).orElse(!disproved.contains(c.change())))
              .toList();
      take(equal.stream().filter(c -> isAlone(c, equal)).toList(), NameProof.BYTES);
    }

    private static boolean isAlone(Candidate candidate, List<Candidate> among) {
      return among.stream().noneMatch(rival -> rivals(rival, candidate));
    }

    private static boolean rivals(Candidate one, Candidate other) {
      NamePair a = one.pair();
      NamePair b = other.pair();
      return !a.equals(b) && (a.from().equals(b.from()) || a.to().equals(b.to()));
    }

    void decideByNames() {
      int before;
      do {
        before = pairs.size();
        takeFamilies();
        take(nearestAlone(), NameProof.ONLY_CANDIDATE);
      } while (pairs.size() > before);
    }

    private void takeFamilies() {
      List<Candidate> family = open.stream().filter(c -> shown.contains(c.change())).toList();
      Map<String, List<Candidate>> rivals = byName(family);
      take(
          family.stream().filter(c -> rivalsOf(c, rivals).findAny().isEmpty()).toList(),
          NameProof.FAMILY);
    }

    private List<Candidate> nearestAlone() {
      Map<String, List<Candidate>> rivals = byName(open);
      return open.stream()
          .filter(c -> rivalsOf(c, rivals).noneMatch(rival -> NEAREST_FIRST.compare(rival, c) <= 0))
          .toList();
    }

    /** Both sides' names are kept apart by a sign that is in front of them. */
    private static Map<String, List<Candidate>> byName(List<Candidate> candidates) {
      Map<String, List<Candidate>> byName = new HashMap<>();
      for (Candidate candidate : candidates) {
        byName.computeIfAbsent(held(candidate), n -> new ArrayList<>()).add(candidate);
        byName.computeIfAbsent(wanted(candidate), n -> new ArrayList<>()).add(candidate);
      }
      return byName;
    }

    private static Stream<Candidate> rivalsOf(
        Candidate candidate, Map<String, List<Candidate>> byName) {
      return Stream.concat(
              byName.get(held(candidate)).stream(), byName.get(wanted(candidate)).stream())
          .filter(rival -> rivals(rival, candidate));
    }

    private static String held(Candidate candidate) {
      return "<" + candidate.pair().from();
    }

    private static String wanted(Candidate candidate) {
      return ">" + candidate.pair().to();
    }

    /** Makes pairs of candidates that are no rivals of each other. */
    private void take(List<Candidate> chosen, NameProof proof) {
      Set<String> taken = new HashSet<>();
      for (Candidate candidate : chosen) {
        pairs.add(new ProvenPair(candidate.pair(), proof));
        shown.add(candidate.change());
        taken.add(held(candidate));
        taken.add(wanted(candidate));
      }
      open =
          open.stream()
              .filter(c -> !taken.contains(held(c)) && !taken.contains(wanted(c)))
              .toList();
    }

    /** What is left, with what each name may stand for. */
    List<AmbiguousName> ambiguous() {
      Map<String, Set<String>> byHeld = new TreeMap<>();
      open.forEach(
          c -> byHeld.computeIfAbsent(c.pair().from(), n -> new TreeSet<>()).add(c.pair().to()));
      List<AmbiguousName> ambiguous = new ArrayList<>();
      byHeld.forEach((from, to) -> ambiguous.add(AmbiguousName.of(from, to)));
      return AmbiguousName.together(ambiguous);
    }
  }

  private static List<Candidate> candidates(
      Collection<NamedTensor> unexpected, Map<String, ExpectedTensor> missing) {
    Map<List<String>, List<String>> byNumbers = new HashMap<>();
    missing.keySet().stream()
        .sorted()
        .forEach(
            name ->
                byNumbers
                    .computeIfAbsent(NameEdit.numbers(name), n -> new ArrayList<>())
                    .add(name));
    List<Candidate> candidates = new ArrayList<>();
    Set<NamePair> seen = new HashSet<>();
    for (NamedTensor tensor : unexpected) {
      for (String name : byNumbers.getOrDefault(NameEdit.numbers(tensor.name()), List.of())) {
        NamePair pair = new NamePair(tensor.name(), name);
        NameEdit edit = pair.edit();
        if (edit.keepsMost() && fits(tensor, missing.get(name)) && seen.add(pair)) {
          candidates.add(new Candidate(pair, edit));
        }
      }
    }
    return candidates;
  }

  private static boolean fits(NamedTensor tensor, ExpectedTensor expected) {
    return (expected.dtype().isEmpty() || expected.dtype().equals(tensor.dtype()))
        && expected.shape().map(shape -> shape.equals(tensor.shape())).orElse(true);
  }
}
