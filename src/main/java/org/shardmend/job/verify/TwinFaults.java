package org.shardmend.job.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.Wording;
import org.shardmend.plan.alias.TensorSample;
import org.shardmend.plan.alias.TwinComparison;
import org.shardmend.storage.Location;

/** Says what the bytes of a healthy checkpoint have shown. */
final class TwinFaults {
  private TwinFaults() {}

  /** What is wrong; nothing where the two are no saves of the same weights. */
  static List<Finding> of(TwinComparison twin, Location healthy) {
    List<Finding> faults = new ArrayList<>();
    if (!twin.sameWeights()) {
      return faults;
    }
    for (TwinComparison.Exchanged exchanged : twin.exchanged()) {
      TensorSample tensor = exchanged.tensor();
      faults.add(
          Finding.fault(
              "exchanged-names",
              tensor.shard(),
              tensor.name(),
              "%s: '%s' holds the bytes that %s has under '%s': the rules that gave the name were wrong; roll back, or repair with others"
                  .formatted(tensor.unit().label(), tensor.name(), healthy, exchanged.holds())));
    }
    misplaced(twin.misplaced())
        .forEach(
            (ranks, tensors) ->
                faults.add(
                    Finding.fault(
                        "misplaced-rank",
                        tensors.get(0).shard(),
                        "",
                        "%s holds in %s, such as '%s', the bytes that %s has in %s: bring each rank's files back under its own name"
                            .formatted(
                                ranks.holder().label(),
                                Wording.count(tensors.size(), "tensor", "tensors"),
                                tensors.get(0).name(),
                                healthy,
                                ranks.owner().label()))));
    byUnit(twin.differing())
        .forEach(
            (unit, tensors) ->
                faults.add(
                    Finding.fault(
                        FindingCode.OTHER_BYTES.code(),
                        tensors.get(0).shard(),
                        tensors.get(0).name(),
                        "%s: %s not of the bytes that they have in %s, though the two are saves of the same weights: %s; restore them from there"
                            .formatted(
                                unit.label(),
                                Wording.count(tensors.size(), "tensor is", "tensors are"),
                                healthy,
                                names(tensors)))));
    return faults;
  }

  /** That the two are saves of different weights, where they are. */
  static Optional<Finding> finding(TwinComparison twin, Location healthy) {
    return twin.sameWeights()
        ? Optional.empty()
        : Optional.of(
            FindingCode.OTHER_BYTES.finding(
                "",
                "%,d of %,d tensors compared differ from those of %s. It holds other weights, of another training step perhaps, so its bytes can't show whether names were exchanged here."
                    .formatted(
                        twin.differing().size() + twin.exchanged().size() + twin.misplaced().size(),
                        twin.compared(),
                        healthy)));
  }

  private record Ranks(UnitId holder, UnitId owner) {}

  private static Map<Ranks, List<TensorSample>> misplaced(
      List<TwinComparison.Misplaced> misplaced) {
    Map<Ranks, List<TensorSample>> byRanks = new LinkedHashMap<>();
    for (TwinComparison.Misplaced one : misplaced) {
      byRanks
          .computeIfAbsent(new Ranks(one.tensor().unit(), one.holds()), ranks -> new ArrayList<>())
          .add(one.tensor());
    }
    return byRanks;
  }

  private static Map<UnitId, List<TensorSample>> byUnit(List<TensorSample> tensors) {
    Map<UnitId, List<TensorSample>> byUnit = new LinkedHashMap<>();
    tensors.forEach(
        tensor -> byUnit.computeIfAbsent(tensor.unit(), unit -> new ArrayList<>()).add(tensor));
    return byUnit;
  }

  private static String names(List<TensorSample> tensors) {
    return Wording.examples(tensors.stream().map(TensorSample::name).sorted().toList());
  }
}
