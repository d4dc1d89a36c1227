package org.shardmend.job.verify;

import java.util.Optional;
import org.shardmend.checkpoint.expected.ExpectedState;
import org.shardmend.job.plan.Expectation;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.storage.Location;

/** What {@code verify} is to check: fluent settings. */
public final class VerifyRequest {
  /** How much of a checkpoint is read. */
  public enum Depth {
    /** Headers only. */
    HEADERS,
    /** Headers, and every byte of the data. */
    FULL
  }

  private final PlanRequest plan;
  private final Depth depth;
  private Expectation expectation = Expectation.none();
  private PartialExpectation partialExpectation = PartialExpectation.REFUSED;
  private Location against;
  private Location sourceModel;

  /** A check of the request's checkpoint. */
  public VerifyRequest(PlanRequest plan, Depth depth) {
    this.plan = plan;
    this.depth = depth;
  }

  /** Holds the checkpoint to the loader's contract with this state, instead of comparing ranks. */
  public VerifyRequest expected(ExpectedState state) {
    return expecting(Expectation.of(state));
  }

  /** Takes the expected state from this healthy checkpoint of the same shape. */
  public VerifyRequest like(Location healthy) {
    return expecting(Expectation.like(healthy));
  }

  /** Holds the checkpoint to the loader's contract with this expectation, where there is one. */
  public VerifyRequest expecting(Expectation state) {
    this.expectation = state;
    return this;
  }

  /** Says what becomes of ranks that the expectation says nothing of. */
  public VerifyRequest partialExpectation(PartialExpectation value) {
    this.partialExpectation = value;
    return this;
  }

  /** Holds the checkpoint to what the rules make of this source. */
  public VerifyRequest against(Location source) {
    this.against = source;
    return this;
  }

  /**
   * Compares ranks with slices of this original model's tensors, a Hugging Face one; with {@link
   * Depth#FULL} only.
   */
  public VerifyRequest sourceModel(Location model) {
    this.sourceModel = model;
    return this;
  }

  Optional<Location> sourceModel() {
    return Optional.ofNullable(sourceModel);
  }

  PlanRequest plan() {
    return plan;
  }

  Depth depth() {
    return depth;
  }

  Expectation expectation() {
    return expectation;
  }

  PartialExpectation partialExpectation() {
    return partialExpectation;
  }

  Optional<Location> against() {
    return Optional.ofNullable(against);
  }
}
