package org.shardmend.job.plan;

import java.util.List;
import org.shardmend.checkpoint.UnitId;

/** What the loaders of a checkpoint expect, unit by unit. */
public interface ExpectedUnits {
  /** The ranks of which something is known; one that is absent in them stands for every one. */
  List<UnitId> ranks();

  /** What the loader of {@code unit} expects, for the task that checks it to look up. */
  UnitExpectation of(UnitId unit);

  /** What the loaders of all units expect, together. */
  UnitExpectation ofAll();

  /** Whether anything is known of {@code unit}. */
  default boolean speakOf(UnitId unit) {
    return ranks().stream().anyMatch(ranks -> ranks.includes(unit));
  }
}
