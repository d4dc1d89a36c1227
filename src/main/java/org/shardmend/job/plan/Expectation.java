package org.shardmend.job.plan;

import java.util.Optional;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.Location;

/** Where it comes from what loaders expect: nowhere, a document, or a healthy checkpoint. */
public sealed interface Expectation {

  /** Nothing is known. */
  static Expectation none() {
    return new None();
  }

  /** This state. */
  static Expectation of(ExpectedState state) {
    return new Stated(state);
  }

  /** What this checkpoint holds, which is healthy and of the same shape. */
  static Expectation like(Location healthy) {
    return new Like(healthy);
  }

  /**
   * What is expected of each unit, where anything is known.
   *
   * @throws JobException USAGE when there is no such checkpoint, REFUSED when it is malformed,
   *     FAILED when it can't be read
   */
  Optional<ExpectedUnits> units(SparkJob job, PlanRequest request) throws JobException;

  /** The healthy checkpoint, where it comes from one: its bytes say something, too. */
  default Optional<Location> healthy() {
    return Optional.empty();
  }

  /** Nothing. */
  record None() implements Expectation {
    @Override
    public Optional<ExpectedUnits> units(SparkJob job, PlanRequest request) {
      return Optional.empty();
    }
  }

  /** A document. */
  record Stated(ExpectedState expected) implements Expectation {
    @Override
    public Optional<ExpectedUnits> units(SparkJob job, PlanRequest request) {
      return Optional.of(new StatedUnits(expected));
    }
  }

  /** A checkpoint. */
  record Like(Location location) implements Expectation {
    @Override
    public Optional<ExpectedUnits> units(SparkJob job, PlanRequest request) throws JobException {
      return Optional.of(HealthyUnits.of(job, request, location));
    }

    @Override
    public Optional<Location> healthy() {
      return Optional.of(location);
    }
  }
}
