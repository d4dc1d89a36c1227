package org.shardmend.job.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;

/** What a document says that loaders expect: nothing of the units that it does not speak of. */
record StatedUnits(ExpectedState state) implements ExpectedUnits {
  @Override
  public List<UnitId> ranks() {
    return state.ranks();
  }

  @Override
  public UnitExpectation of(UnitId unit) {
    return new Stated(state.forUnit(unit).map(HashMap::new).orElseGet(HashMap::new));
  }

  @Override
  public UnitExpectation ofAll() {
    HashMap<String, ExpectedTensor> all = new HashMap<>();
    state.units().forEach(unit -> all.putAll(unit.tensors()));
    return new Stated(all);
  }

  private record Stated(HashMap<String, ExpectedTensor> tensors) implements UnitExpectation {
    @Override
    public Optional<Map<String, ExpectedTensor>> read(LongConsumer meter) {
      return Optional.of(tensors);
    }
  }
}
