package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.plan.ExpectedUnits;
import org.shardmend.job.plan.UnitExpectation;
import org.shardmend.job.plan.UnitInput;
import org.shardmend.job.plan.WrappedNames;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.contract.ContractCode;
import org.shardmend.plan.contract.ContractVerdict;
import org.shardmend.plan.contract.LoaderContract;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads every header once and holds each load unit to the loader's contract, a task a unit. */
final class ContractStage {
  private ContractStage() {}

  /**
   * What a task found.
   *
   * @param tensors how many tensors the unit holds
   * @param summary what is compared between units
   * @param faults what is wrong within the unit
   * @param findings what a user should know of it
   * @param judgement how the unit was judged
   * @param skipped the names that the loader leaves out
   * @param wrapped the names that no loader expects, where nothing is known of what this one does
   * @param cures what would turn unexpected names into missing ones
   */
  record Receipt(
      long tensors,
      UnitSummary summary,
      ArrayList<Finding> faults,
      ArrayList<Finding> findings,
      Judgement judgement,
      SkippedNames skipped,
      WrappedNames wrapped,
      NameCures cures)
      implements Serializable {}

  /** How a unit was judged. */
  enum Judgement {
    /** By what its loader expects, or without knowing it. */
    JUDGED,
    /** Not at all: what other ranks expect is known, and nothing of this one. */
    UNKNOWN,
    /** Not at all, as {@link #UNKNOWN}; and all its names are expected of other ranks. */
    REPEATS_OTHERS
  }

  /**
   * What the units are judged by.
   *
   * @param loader whose contract it is
   * @param rules the active rules
   * @param off the rules that are not
   * @param expected what loaders expect, where it is known
   */
  record Standard(
      Loader loader, RuleSet rules, InactiveFamilies off, Optional<ExpectedUnits> expected) {}

  /** A unit, and where nothing is expected of it, the names that are expected of others. */
  private record Task(UnitInput unit, boolean judged, UnitExpectation ofOthers)
      implements Serializable {

    static List<Task> of(List<NamedUnit> units, Optional<ExpectedUnits> expected) {
      return UnitInput.of(units, expected).stream().map(unit -> of(unit, expected)).toList();
    }

    private static Task of(UnitInput unit, Optional<ExpectedUnits> expected) {
      boolean judged = expected.isEmpty() || expected.get().speakOf(unit.unit().id());
      return new Task(unit, judged, judged ? UnitExpectation.UNKNOWN : expected.get().ofAll());
    }
  }

  static List<Receipt> run(
      SparkJob job,
      CheckpointAccess access,
      List<NamedUnit> units,
      Standard standard,
      UnknownDtypes dtypes)
      throws JobException {
    SharedHeaderStage shared = SharedHeaderStage.read(job, access, units, dtypes);
    Loader loader = standard.loader();
    RuleSet rules = standard.rules();
    InactiveFamilies off = standard.off();
    return job.run(
        "Read headers and check the loader's contract",
        0,
        Task.of(units, standard.expected()),
        (task, meter) -> {
          NamedUnit unit = task.unit().unit();
          UnitHeaders headers = UnitHeaders.read(access, unit, dtypes, shared, meter);
          return receipt(task, headers, loader, rules, off, meter);
        });
  }

  private static Receipt receipt(
      Task task,
      UnitHeaders headers,
      Loader loader,
      RuleSet rules,
      InactiveFamilies off,
      LongConsumer meter)
      throws IOException {
    UnitId unit = task.unit().unit().id();
    UnitFaults faults = new UnitFaults(unit);
    headers.problems().forEach(faults::add);
    List<NamedTensor> tensors = stateDict(headers.tensors());
    Judgement judgement = Judgement.JUDGED;
    SkippedNames skipped = SkippedNames.none();
    WrappedNames wrapped = WrappedNames.none();
    NameCures cures = NameCures.none();
    Optional<Map<String, ExpectedTensor>> expected = task.unit().expected().read(meter);
    if (!task.judged()) {
      Map<String, ExpectedTensor> ofOthers = task.ofOthers().read(meter).orElseGet(Map::of);
      boolean repeats = tensors.stream().allMatch(t -> ofOthers.containsKey(t.name()));
      judgement = repeats ? Judgement.REPEATS_OTHERS : Judgement.UNKNOWN;
    } else if (expected.isPresent()) {
      ContractVerdict verdict = LoaderContract.check(loader, unit, tensors, expected.get());
      ofWhatWasRead(verdict.faults(), headers).forEach(faults::add);
      cures = off.cures(verdict.unknown(), verdict.missing());
      if (loader.skipsUnknownNames()) {
        skipped = SkippedNames.of(unit, verdict.unknown());
      }
    } else {
      aliases(loader, unit, headers.tensors(), rules).forEach(faults::add);
      wrapped = WrappedNames.of(headers.tensors(), rules);
    }
    return new Receipt(
        headers.tensors().size(),
        headers.summary(task.unit().unit()),
        faults.told(),
        new ArrayList<>(headers.findings()),
        judgement,
        skipped,
        wrapped,
        cures);
  }

  /** Names that are missing because their file can't be read are not worth a second message. */
  private static List<Finding> ofWhatWasRead(List<Finding> faults, UnitHeaders headers) {
    return headers.problems().isEmpty()
        ? faults
        : faults.stream()
            .filter(fault -> !fault.code().equals(ContractCode.MISSING_TENSOR.id()))
            .toList();
  }

  /** What the contract is about: plain attributes are set without being asked for. */
  private static List<NamedTensor> stateDict(List<NamedTensor> tensors) {
    return tensors.stream().filter(tensor -> !tensor.extra()).toList();
  }

  /** The names that an active rule would change, and those that occur twice. */
  private static List<Finding> aliases(
      Loader loader, UnitId unit, List<NamedTensor> tensors, RuleSet rules) {
    List<Finding> faults = new ArrayList<>();
    Set<String> names = tensors.stream().map(NamedTensor::name).collect(Collectors.toSet());
    Set<String> seen = new HashSet<>();
    for (NamedTensor tensor : tensors) {
      if (!seen.add(tensor.name())) {
        faults.add(LoaderContract.duplicate(loader, unit, tensor));
      }
      alias(loader, rules.outcome(tensor.name()), names)
          .ifPresent(
              why ->
                  faults.add(
                      LoaderContract.fault(
                          ContractCode.ALIAS,
                          unit,
                          tensor.shard(),
                          tensor.name(),
                          LoaderContract.unknownName(loader, tensor.name()) + why)));
    }
    return faults;
  }

  /** A loader that leaves unknown names out misses nothing where the canonical one is there too. */
  private static Optional<String> alias(Loader loader, NameOutcome outcome, Set<String> names) {
    return outcome.fold(
        Optional::empty,
        renamed ->
            loader.skipsUnknownNames() && names.contains(renamed.target())
                ? Optional.empty()
                : Optional.of(
                    " on load: rule %s takes it for an alias of '%s'"
                        .formatted(renamed.rule(), renamed.target())),
        refused -> Optional.of(" on load: " + refused.reason()));
  }
}
