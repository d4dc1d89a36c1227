package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.EqualTensors;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.files.TensorComparer;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.alias.AliasSearch;
import org.shardmend.plan.alias.AmbiguousName;
import org.shardmend.plan.alias.EqualNames;
import org.shardmend.plan.alias.NameContents;
import org.shardmend.plan.alias.NameCount;
import org.shardmend.plan.alias.NameEvidence;
import org.shardmend.plan.alias.NamePair;
import org.shardmend.plan.alias.NameProof;
import org.shardmend.plan.alias.Pairing;
import org.shardmend.plan.alias.ProvenPair;
import org.shardmend.plan.alias.RuleTrial;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Looks in every load unit for names that should be others, and tries on every one the rules that
 * are made of that; a task a unit in both.
 */
final class AliasStage {
  private final SparkJob job;
  private final CheckpointAccess access;
  private final List<UnitInput> tasks;
  private final UnknownDtypes dtypes;
  private final SharedHeaderStage shared;

  /** So many names of a kind are compared by their bytes in a unit; their layers differ only. */
  private static final int MOST_COMPARED = 4;

  AliasStage(SparkJob job, CheckpointAccess access, List<UnitInput> tasks, UnknownDtypes dtypes)
      throws JobException {
    this.job = job;
    this.access = access;
    this.tasks =
        tasks.stream()
            .sorted(Comparator.comparingLong((UnitInput t) -> t.unit().unit().bytes()).reversed())
            .toList();
    this.dtypes = dtypes;
    this.shared =
        SharedHeaderStage.read(job, access, tasks.stream().map(UnitInput::unit).toList(), dtypes);
  }

  /**
   * What was found; of constant size for every model, whatever the number of its layers.
   *
   * @param equal names with equal bytes
   * @param renamed what pairs of names are evidence for
   * @param ambiguous names that may stand for one of several
   * @param unexpected names that nothing was found for, and that no loader expects
   * @param missing names that loaders expect, and that nothing was found for
   * @param compared what was read of names that may stand for others
   */
  record Receipt(
      ArrayList<EqualNames> equal,
      ArrayList<NameEvidence> renamed,
      ArrayList<AmbiguousName> ambiguous,
      ArrayList<NameCount> unexpected,
      ArrayList<NameCount> missing,
      ComparedBytes compared)
      implements Serializable {}

  /** A unit, and the same unit of a healthy checkpoint, where there is one. */
  private record Task(UnitInput unit, ArrayList<NamedUnit> healthy) implements Serializable {}

  /** Where the healthy checkpoint is, and what its units share. */
  record Healthy(CheckpointAccess access, List<NamedUnit> units, SharedHeaderStage shared) {}

  /**
   * Searches every load unit.
   *
   * @param healthy a checkpoint of the same shape whose bytes can be compared, if there is one
   */
  Receipt search(RuleSet active, Optional<Healthy> healthy) throws JobException {
    CheckpointAccess at = access;
    CheckpointAccess there = healthy.map(Healthy::access).orElse(access);
    SharedHeaderStage sharedThere = healthy.map(Healthy::shared).orElse(shared);
    UnknownDtypes allowed = dtypes;
    SharedHeaderStage read = shared;
    Receipt all = empty();
    for (Receipt receipt :
        job.run(
            "Look for tensors under two names",
            0,
            withHealthy(healthy),
            (task, meter) ->
                new Search(at, read, there, sharedThere, active, allowed, meter).of(task))) {
      all = together(all, receipt);
    }
    return all;
  }

  private List<Task> withHealthy(Optional<Healthy> healthy) {
    Map<UnitId, NamedUnit> there = new HashMap<>();
    healthy.ifPresent(h -> h.units().forEach(unit -> there.put(unit.id(), unit)));
    return tasks.stream()
        .map(
            unit ->
                new Task(
                    unit,
                    Stream.ofNullable(there.get(unit.unit().id()))
                        .collect(Collectors.toCollection(ArrayList::new))))
        .toList();
  }

  private record Search(
      CheckpointAccess access,
      SharedHeaderStage shared,
      CheckpointAccess healthy,
      SharedHeaderStage sharedThere,
      RuleSet active,
      UnknownDtypes dtypes,
      LongConsumer meter) {

    Receipt of(Task task) throws IOException {
      List<NamedTensor> tensors =
          UnitHeaders.read(access, task.unit().unit(), dtypes, shared, meter).tensors();
      AliasSearch search = new AliasSearch(tensors, active, task.unit().expected().read(meter));
      Compared compared = compared(search.toCompare(MOST_COMPARED), tensors, task.healthy());
      Pairing pairing = search.renamed(compared.contents());
      List<EqualNames> equal = new ArrayList<>();
      List<ProvenPair> pairs = new ArrayList<>(pairing.pairs());
      Set<String> told = new HashSet<>();
      try (EqualTensors bytes = EqualTensors.of(access, meter)) {
        for (List<NamedTensor> alike : search.alike()) {
          for (List<NamedTensor> same : bytes.among(alike)) {
            List<String> names = search.namesOf(same);
            if (!names.isEmpty()) {
              equal.add(EqualNames.of(names));
              for (NamePair pair : search.directed(names)) {
                pairs.add(new ProvenPair(pair, NameProof.BYTES));
                told.add(pair.from());
              }
            }
          }
        }
      }
      return new Receipt(
          new ArrayList<>(EqualNames.together(equal)),
          new ArrayList<>(NameEvidence.of(pairs)),
          new ArrayList<>(pairing.ambiguous()),
          counts(pairing.unexpected().stream().filter(name -> !told.contains(name))),
          counts(pairing.missing().stream()),
          compared.bytes());
    }

    private record Compared(NameContents contents, ComparedBytes bytes) {}

    /** Digests of what the pairs are of, on both sides. */
    private Compared compared(
        List<NamePair> pairs, List<NamedTensor> tensors, List<NamedUnit> units) throws IOException {
      if (pairs.isEmpty() || units.isEmpty()) {
        return new Compared(NameContents.NOT_READ, ComparedBytes.NONE);
      }
      List<NamedTensor> there =
          UnitHeaders.read(healthy, units.get(0), dtypes, sharedThere, meter).tensors();
      Set<String> from = pairs.stream().map(NamePair::from).collect(Collectors.toSet());
      Set<String> to = pairs.stream().map(NamePair::to).collect(Collectors.toSet());
      Map<String, String> held = digests(access, tensors, from);
      Map<String, String> wanted = digests(healthy, there, to);
      return new Compared(
          new NameContents(held, wanted),
          new ComparedBytes(held.size() + wanted.size(), bytes(tensors, from) + bytes(there, to)));
    }

    private Map<String, String> digests(
        CheckpointAccess of, List<NamedTensor> tensors, Set<String> names) throws IOException {
      Map<String, String> digests = new HashMap<>();
      try (EqualTensors bytes = EqualTensors.of(of, meter)) {
        for (NamedTensor tensor : tensors) {
          if (names.contains(tensor.name())) {
            digests.put(tensor.name(), bytes.digest(tensor));
          }
        }
      }
      return digests;
    }

    private static long bytes(List<NamedTensor> tensors, Set<String> names) {
      return tensors.stream()
          .filter(tensor -> names.contains(tensor.name()))
          .mapToLong(NamedTensor::bytes)
          .sum();
    }
  }

  private static ArrayList<NameCount> counts(Stream<String> names) {
    return new ArrayList<>(NameCount.together(names.map(NameCount::of).toList()));
  }

  private static Receipt empty() {
    return new Receipt(
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        new ArrayList<>(),
        ComparedBytes.NONE);
  }

  private static Receipt together(Receipt one, Receipt other) {
    return new Receipt(
        new ArrayList<>(EqualNames.together(both(one.equal(), other.equal()))),
        new ArrayList<>(NameEvidence.together(both(one.renamed(), other.renamed()))),
        new ArrayList<>(AmbiguousName.together(both(one.ambiguous(), other.ambiguous()))),
        new ArrayList<>(NameCount.together(both(one.unexpected(), other.unexpected()))),
        new ArrayList<>(NameCount.together(both(one.missing(), other.missing()))),
        one.compared().plus(other.compared()));
  }

  private static <T> List<T> both(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  /** The numbers of those trials that hold on every load unit. */
  BitSet holding(List<RuleTrial> trials, String layout) throws JobException {
    BitSet holding = new BitSet();
    holding.set(0, trials.size());
    CheckpointAccess at = access;
    UnknownDtypes allowed = dtypes;
    SharedHeaderStage read = shared;
    ArrayList<RuleTrial> tried = new ArrayList<>(trials);
    job.run(
            "Try the rules that were found",
            0,
            trials.isEmpty() ? List.<UnitInput>of() : tasks,
            (task, meter) -> holding(at, task, tried, layout, allowed, read, meter))
        .forEach(holding::and);
    return holding;
  }

  private static BitSet holding(
      CheckpointAccess access,
      UnitInput task,
      List<RuleTrial> trials,
      String layout,
      UnknownDtypes dtypes,
      SharedHeaderStage shared,
      LongConsumer meter)
      throws IOException {
    List<NamedTensor> tensors =
        UnitHeaders.read(access, task.unit(), dtypes, shared, meter).tensors();
    Optional<Map<String, ExpectedTensor>> expected = task.expected().read(meter);
    BitSet holding = new BitSet();
    try (TensorComparer comparer = TensorComparer.within(access, meter)) {
      for (int i = 0; i < trials.size(); i++) {
        RuleTrial.Result result = trials.get(i).on(task.unit().id(), tensors, expected, layout);
        holding.set(i, result.holds() && areEqual(comparer, result.open()));
      }
    }
    return holding;
  }

  private static boolean areEqual(TensorComparer comparer, List<Comparison> comparisons)
      throws IOException {
    for (Comparison comparison : comparisons) {
      if (comparer.compare(comparison).difference().isPresent()) {
        return false;
      }
    }
    return true;
  }
}
