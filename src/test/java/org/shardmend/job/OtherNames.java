package org.shardmend.job;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.checkpoint.expected.ExpectedUnit;

/** Expected states of builds that call tensors otherwise. */
final class OtherNames {
  private OtherNames() {}

  /** The same state under other names. */
  static ExpectedState of(ExpectedState state, UnaryOperator<String> change) {
    List<ExpectedUnit> units = new ArrayList<>();
    for (ExpectedUnit unit : state.units()) {
      Map<String, ExpectedTensor> tensors = new LinkedHashMap<>();
      unit.tensors().forEach((name, tensor) -> tensors.put(change.apply(name), tensor));
      units.add(new ExpectedUnit(unit.ranks(), tensors));
    }
    return ExpectedState.of(units);
  }
}
