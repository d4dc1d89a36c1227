package org.shardmend.job;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.ExpectedTensor;
import org.shardmend.plan.AliasSearch;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.EqualNames;
import org.shardmend.plan.NameEvidence;
import org.shardmend.plan.NamePair;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.RuleTrial;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Looks in every load unit for names that should be others, and tries on every one the rules that
 * are made of that; a task a unit in both.
 */
final class AliasStage {
  private final SparkJob job;
  private final CheckpointAccess access;
  private final List<UnitTask> tasks;
  private final UnknownDtypes dtypes;
  private final SharedHeaders shared;

  AliasStage(SparkJob job, CheckpointAccess access, List<UnitTask> tasks, UnknownDtypes dtypes)
      throws JobException {
    this.job = job;
    this.access = access;
    this.tasks =
        tasks.stream()
            .sorted(Comparator.comparingLong((UnitTask t) -> t.unit().unit().bytes()).reversed())
            .toList();
    this.dtypes = dtypes;
    this.shared =
        SharedHeaders.read(job, access, tasks.stream().map(UnitTask::unit).toList(), dtypes);
  }

  /**
   * What was found; of constant size for every model, whatever the number of its layers.
   *
   * @param equal names with equal bytes
   * @param renamed what pairs of names are evidence for
   */
  record Receipt(ArrayList<EqualNames> equal, ArrayList<NameEvidence> renamed)
      implements Serializable {}

  /** Searches every load unit. */
  Receipt search(RuleSet active) throws JobException {
    CheckpointAccess at = access;
    UnknownDtypes allowed = dtypes;
    SharedHeaders read = shared;
    List<EqualNames> equal = new ArrayList<>();
    List<NameEvidence> renamed = new ArrayList<>();
    for (Receipt receipt :
        job.run(
            "Look for tensors under two names",
            0,
            tasks,
            (task, meter) -> search(at, task, active, allowed, read, meter))) {
      equal.addAll(receipt.equal());
      renamed.addAll(receipt.renamed());
    }
    return receipt(equal, renamed);
  }

  private static Receipt search(
      CheckpointAccess access,
      UnitTask task,
      RuleSet active,
      UnknownDtypes dtypes,
      SharedHeaders shared,
      LongConsumer meter)
      throws IOException {
    List<NamedTensor> tensors =
        UnitHeaders.read(access, task.unit(), dtypes, shared, meter).tensors();
    AliasSearch search = new AliasSearch(tensors, active, task.expectation());
    List<EqualNames> equal = new ArrayList<>();
    List<NamePair> pairs = new ArrayList<>(search.renamed());
    try (EqualTensors bytes = EqualTensors.of(access, meter)) {
      for (List<NamedTensor> alike : search.alike()) {
        for (List<NamedTensor> same : bytes.among(alike)) {
          List<String> names = search.namesOf(same);
          if (!names.isEmpty()) {
            equal.add(EqualNames.of(names));
            pairs.addAll(search.directed(names));
          }
        }
      }
    }
    return receipt(equal, NameEvidence.of(pairs));
  }

  private static Receipt receipt(List<EqualNames> equal, List<NameEvidence> renamed) {
    return new Receipt(
        new ArrayList<>(EqualNames.together(equal)),
        new ArrayList<>(NameEvidence.together(renamed)));
  }

  /** The numbers of those trials that hold on every load unit. */
  BitSet holding(List<RuleTrial> trials, String layout) throws JobException {
    BitSet holding = new BitSet();
    holding.set(0, trials.size());
    CheckpointAccess at = access;
    UnknownDtypes allowed = dtypes;
    SharedHeaders read = shared;
    ArrayList<RuleTrial> tried = new ArrayList<>(trials);
    job.run(
            "Try the rules that were found",
            0,
            trials.isEmpty() ? List.<UnitTask>of() : tasks,
            (task, meter) -> holding(at, task, tried, layout, allowed, read, meter))
        .forEach(holding::and);
    return holding;
  }

  private static BitSet holding(
      CheckpointAccess access,
      UnitTask task,
      List<RuleTrial> trials,
      String layout,
      UnknownDtypes dtypes,
      SharedHeaders shared,
      LongConsumer meter)
      throws IOException {
    List<NamedTensor> tensors =
        UnitHeaders.read(access, task.unit(), dtypes, shared, meter).tensors();
    Optional<Map<String, ExpectedTensor>> expected = task.expectation();
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
