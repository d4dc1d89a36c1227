package org.shardmend.job;

/** Says what a repair would do. Reads headers and, where a drop is considered, tensors. */
public final class PlanAction {
  private final SparkJob job;
  private final PlanRequest request;

  /** An action on the request's checkpoint, on {@code job}'s executors. */
  public PlanAction(SparkJob job, PlanRequest request) {
    this.job = job;
    this.request = request;
  }

  /**
   * Plans.
   *
   * @throws JobException USAGE when the path holds no checkpoint, REFUSED when it is malformed or
   *     unfinished, FAILED when it can't be read; a plan with refusals is returned, not thrown
   */
  public PlannedCheckpoint execute() throws JobException {
    return new Planner(job, request).plan();
  }
}
