package org.shardmend.job;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.plan.ContractFault;
import org.shardmend.plan.LoaderContract;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.NamedUnit;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads every header once and holds each load unit to the loader's contract, a task a unit. */
final class ContractStage {
  /** So many faults of one unit are told apart; a checkpoint with more is wrong as a whole. */
  private static final int MOST_FAULTS = 5000;

  private ContractStage() {}

  /**
   * What a task found.
   *
   * @param tensors how many tensors the unit holds
   * @param summary what is compared between units
   * @param faults what is wrong within the unit
   * @param findings what a user should know of it
   */
  record Receipt(
      long tensors, UnitSummary summary, ArrayList<Fault> faults, ArrayList<Finding> findings)
      implements Serializable {}

  static List<Receipt> run(
      SparkJob job,
      CheckpointAccess access,
      List<NamedUnit> units,
      RuleSet rules,
      Optional<ExpectedState> expected,
      UnknownDtypes dtypes)
      throws JobException {
    SharedHeaders shared = SharedHeaders.read(job, access, units, dtypes);
    return job.run(
        "Read headers and check the loader's contract",
        0,
        UnitTask.of(units, expected),
        (task, meter) -> check(access, task, rules, dtypes, shared, meter));
  }

  private static Receipt check(
      CheckpointAccess access,
      UnitTask task,
      RuleSet rules,
      UnknownDtypes dtypes,
      SharedHeaders shared,
      LongConsumer meter)
      throws IOException {
    UnitId unit = task.unit().id();
    UnitHeaders headers = UnitHeaders.read(access, task.unit(), dtypes, shared, meter);
    ArrayList<Fault> faults = new ArrayList<>();
    headers.problems().forEach(problem -> faults.add(malformed(problem)));
    List<NamedTensor> tensors = headers.tensors();
    List<ContractFault> broken =
        task.checked()
            ? LoaderContract.check(unit, stateDict(tensors), task.expected())
            : aliases(unit, tensors, rules);
    broken.stream().limit(MOST_FAULTS).forEach(fault -> faults.add(fault(fault)));
    if (broken.size() > MOST_FAULTS) {
      faults.add(
          new Fault(
              "more-faults",
              "",
              "",
              "%s: %,d more faults".formatted(unit.label(), broken.size() - MOST_FAULTS)));
    }
    return new Receipt(
        tensors.size(), headers.summary(task.unit()), faults, new ArrayList<>(headers.findings()));
  }

  /** What the contract is about: plain attributes are set without being asked for. */
  private static List<NamedTensor> stateDict(List<NamedTensor> tensors) {
    return tensors.stream().filter(tensor -> !tensor.extra()).toList();
  }

  private static Fault malformed(Finding problem) {
    return new Fault(problem.code(), problem.shard(), "", problem.message());
  }

  static Fault fault(ContractFault fault) {
    return new Fault(
        fault.code().id(),
        fault.shard(),
        fault.tensor(),
        "%s: %s".formatted(fault.unit().label(), fault.message()));
  }

  /** The names that an active rule would change, and those that occur twice. */
  private static List<ContractFault> aliases(
      UnitId unit, List<NamedTensor> tensors, RuleSet rules) {
    List<ContractFault> faults = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (NamedTensor tensor : tensors) {
      if (!seen.add(tensor.name())) {
        faults.add(
            new ContractFault(
                ContractFault.Code.DUPLICATE_TENSOR,
                unit,
                tensor.shard(),
                tensor.name(),
                LoaderContract.keyError(tensor.name())
                    + " on its second sight: another file of this rank holds it too"));
      }
      alias(rules.outcome(tensor.name()))
          .ifPresent(
              why ->
                  faults.add(
                      new ContractFault(
                          ContractFault.Code.ALIAS,
                          unit,
                          tensor.shard(),
                          tensor.name(),
                          LoaderContract.keyError(tensor.name()) + " on load: " + why)));
    }
    return faults;
  }

  private static Optional<String> alias(NameOutcome outcome) {
    return outcome.fold(
        Optional::empty,
        renamed ->
            Optional.of(
                "rule %s takes it for an alias of '%s'"
                    .formatted(renamed.rule(), renamed.target())),
        refused -> Optional.of(refused.reason()));
  }
}
