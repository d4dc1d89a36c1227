package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.expected.ExpectedTensor;

/**
 * What the loader of one load unit expects. It travels with the unit's task, which looks it up: the
 * driver need not hold what all units expect.
 */
@FunctionalInterface
public interface UnitExpectation extends Serializable {
  /** Nothing is known of what loaders expect. */
  UnitExpectation UNKNOWN = meter -> Optional.empty();

  /**
   * What is expected, by name; empty where nothing is known of any unit.
   *
   * @param meter told of the bytes that are read for it
   * @throws IOException when it can't be read
   */
  Optional<Map<String, ExpectedTensor>> read(LongConsumer meter) throws IOException;
}
