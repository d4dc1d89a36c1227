package org.shardmend.trial;

import java.util.LinkedHashMap;
import java.util.Map;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.expected.ExpectedUnit;
import org.shardmend.trial.Model.Rank;

/** What a loader expects of a healthy save: the state dict of a fresh model, rank by rank. */
final class FreshState {
  private FreshState() {}

  static ExpectedState of(TrialSettings settings, Model model) {
    return ExpectedState.of(
        model
            .ranks()
            .map(rank -> new ExpectedUnit(unitOf(settings, rank), tensorsOf(model, rank)))
            .toList());
  }

  private static UnitId unitOf(TrialSettings settings, Rank rank) {
    return switch (settings.layout()) {
      case SHARDED_STATE, PRESHARDED -> new UnitId(rank.stage(), rank.tp());
      case HUGGINGFACE -> UnitId.NONE;
    };
  }

  private static Map<String, ExpectedTensor> tensorsOf(Model model, Rank rank) {
    Map<String, ExpectedTensor> tensors = new LinkedHashMap<>();
    for (TrialTensor tensor : model.fresh(rank.stage())) {
      tensors.put(tensor.name(), ExpectedTensor.of(tensor.type().dtype().name(), tensor.shape()));
    }
    return tensors;
  }
}
