package org.shardmend.job.plan;

import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.Location;

/** Says what a repair would do. Reads headers and, where a drop is considered, tensors. */
public final class PlanAction {
  private final SparkJob job;
  private final PlanRequest request;
  private Location sourceModel;

  /** An action on the request's checkpoint, on {@code job}'s executors. */
  public PlanAction(SparkJob job, PlanRequest request) {
    this.job = job;
    this.request = request;
  }

  /** Compares what the plan makes of the names with this original model, a Hugging Face one. */
  public PlanAction sourceModel(Location model) {
    this.sourceModel = model;
    return this;
  }

  /**
   * Plans.
   *
   * @throws JobException USAGE when the path holds no checkpoint, REFUSED when it is malformed or
   *     unfinished, FAILED when it can't be read; a plan with refusals is returned, not thrown
   */
  public PlannedCheckpoint execute() throws JobException {
    PlannedCheckpoint planned = new Planner(job, request).plan();
    return sourceModel == null
        ? planned
        : planned.with(SourceModelCheck.findings(job, planned, sourceModel));
  }
}
