package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.files.TensorComparer;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.UnitDecisions;
import org.shardmend.plan.UnitPlanner;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Holds each load unit of a repaired checkpoint to what the rules make of the same unit of its
 * source, a task a unit: every tensor of the source is there under its decided name, in type, shape
 * and (on request) bytes, and nothing else is.
 */
final class AgainstStage {
  private AgainstStage() {}

  private record Task(NamedUnit source, NamedUnit target) implements Serializable {
    long bytes() {
      return source.unit().bytes() + target.unit().bytes();
    }
  }

  static List<Finding> run(
      SparkJob job,
      CheckpointAccess source,
      List<NamedUnit> sourceUnits,
      CheckpointAccess target,
      List<NamedUnit> targetUnits,
      RuleSet rules,
      UnknownDtypes dtypes,
      VerifyRequest.Depth depth)
      throws JobException {
    Map<UnitId, NamedUnit> targets = new TreeMap<>();
    targetUnits.forEach(unit -> targets.put(unit.id(), unit));
    List<Finding> faults = new ArrayList<>();
    List<Task> tasks = new ArrayList<>();
    for (NamedUnit unit : sourceUnits) {
      NamedUnit counterpart = targets.remove(unit.id());
      if (counterpart == null) {
        faults.add(
            Finding.fault(
                "unit-missing", "", "", unit.id().label() + " of the source is not here"));
      } else {
        tasks.add(new Task(unit, counterpart));
      }
    }
    targets
        .keySet()
        .forEach(
            id ->
                faults.add(
                    Finding.fault("unit-added", "", "", id.label() + " is not in the source")));
    SharedHeaderStage ofSource = SharedHeaderStage.read(job, source, sourceUnits, dtypes);
    SharedHeaderStage ofTarget = SharedHeaderStage.read(job, target, targetUnits, dtypes);
    long bytes =
        depth == VerifyRequest.Depth.FULL ? tasks.stream().mapToLong(Task::bytes).sum() : 0;
    job.run(
            depth == VerifyRequest.Depth.FULL
                ? "Compare every tensor with the source"
                : "Compare headers with the source",
            bytes,
            tasks,
            (task, meter) ->
                new Check(source, ofSource, target, ofTarget, rules, dtypes, depth, meter)
                    .run(task))
        .forEach(faults::addAll);
    return faults;
  }

  private record Check(
      CheckpointAccess source,
      SharedHeaderStage ofSource,
      CheckpointAccess target,
      SharedHeaderStage ofTarget,
      RuleSet rules,
      UnknownDtypes dtypes,
      VerifyRequest.Depth depth,
      LongConsumer meter) {

    ArrayList<Finding> run(Task task) throws IOException {
      UnitFaults faults = new UnitFaults(task.source().id());
      List<NamedTensor> before =
          UnitHeaders.read(source, task.source(), dtypes, ofSource, meter).tensors();
      Map<String, NamedTensor> after = new HashMap<>();
      UnitHeaders.read(target, task.target(), dtypes, ofTarget, meter)
          .tensors()
          .forEach(tensor -> after.put(tensor.name(), tensor));
      UnitId unit = task.source().id();
      UnitDecisions decisions = UnitPlanner.decide(unit, before, rules);
      Map<String, Decision> changes = new HashMap<>();
      decisions.changes().forEach(change -> changes.put(change.tensor(), change));
      Map<String, NamedTensor> unclaimed = new TreeMap<>(after);
      try (TensorComparer comparer = TensorComparer.between(source, target, meter)) {
        for (NamedTensor tensor : before) {
          Optional<Decision> change = Optional.ofNullable(changes.get(tensor.name()));
          String name = change.flatMap(Decision::targetName).orElse(tensor.name());
          unclaimed.remove(name);
          fault(unit, tensor, name, change, Optional.ofNullable(after.get(name)), comparer)
              .ifPresent(faults::add);
        }
      }
      unclaimed
          .values()
          .forEach(
              tensor ->
                  faults.add(
                      Finding.fault(
                          "not-in-source",
                          tensor.shard(),
                          tensor.name(),
                          "%s: '%s' comes from no tensor of the source"
                              .formatted(unit.label(), tensor.name()))));
      return faults.told();
    }

    private Optional<Finding> fault(
        UnitId unit,
        NamedTensor tensor,
        String name,
        Optional<Decision> change,
        Optional<NamedTensor> found,
        TensorComparer comparer)
        throws IOException {
      String what = "%s: '%s' of the source".formatted(unit.label(), tensor.name());
      if (change.isPresent() && change.get().action() == Action.REFUSE) {
        return Optional.of(
            Finding.fault(
                "refused",
                tensor.shard(),
                tensor.name(),
                what + " is refused: " + change.get().reason()));
      }
      if (found.isEmpty()) {
        return Optional.of(
            Finding.fault(
                "tensor-missing",
                tensor.shard(),
                tensor.name(),
                "%s should be here as '%s', and is not".formatted(what, name)));
      }
      if (!found.get().sameForm(tensor)) {
        return Optional.of(
            Finding.fault(
                "form-differs",
                found.get().shard(),
                name,
                "%s is %s, but '%s' here is %s"
                    .formatted(what, tensor.form(), name, found.get().form())));
      }
      if (!found.get().contentKey().equals(tensor.contentKey())) {
        return Optional.of(
            Finding.fault(
                "bytes-differ",
                found.get().shard(),
                name,
                "%s has the stored key %s, but '%s' here has %s"
                    .formatted(what, tensor.contentKey(), name, found.get().contentKey())));
      }
      if (depth != VerifyRequest.Depth.FULL) {
        return Optional.empty();
      }
      return comparer.firstDifference(tensor, found.get()).stream()
          .mapToObj(
              offset ->
                  Finding.fault(
                      "bytes-differ",
                      found.get().shard(),
                      name,
                      "%s and '%s' here differ in their bytes, first at byte %d of the tensor (byte %d of %s)"
                          .formatted(
                              what,
                              name,
                              offset,
                              found.get().begin() + offset,
                              found.get().shard())))
          .findFirst();
    }
  }
}
