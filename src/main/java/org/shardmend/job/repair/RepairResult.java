package org.shardmend.job.repair;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.Finding;
import org.shardmend.plan.ActionCounts;
import org.shardmend.plan.Strategy;

/**
 * What a repair has done.
 *
 * @param runId the run's name in the audit
 * @param outcome how it ended
 * @param checkpoint the source
 * @param output where the repaired checkpoint is: the source itself in place; empty when nothing
 *     was to do
 * @param fingerprint the plan's
 * @param counts tensors by what became of them
 * @param strategies shards by how they came to their repaired form
 * @param bytesRead bytes read from storage by this run
 * @param bytesWritten bytes written to storage by this run
 * @param seconds how long it took
 * @param stageSeconds how long each stage took, by its name
 * @param audit where the audit tables are; empty when there are none
 * @param findings what its user should know
 */
public record RepairResult(
    String runId,
    Outcome outcome,
    String checkpoint,
    String output,
    String fingerprint,
    ActionCounts counts,
    Map<Strategy, Integer> strategies,
    long bytesRead,
    long bytesWritten,
    double seconds,
    Map<String, Double> stageSeconds,
    String audit,
    List<Finding> findings) {

  /** How a repair ends when it does not fail. */
  public enum Outcome {
    /** The checkpoint is repaired. */
    DONE,
    /** It was right already. */
    NOTHING_TO_DO
  }

  /** The same, with more to know. */
  RepairResult with(List<Finding> more) {
    List<Finding> all = new ArrayList<>(findings);
    all.addAll(more);
    return new RepairResult(
        runId,
        outcome,
        checkpoint,
        output,
        fingerprint,
        counts,
        strategies,
        bytesRead,
        bytesWritten,
        seconds,
        stageSeconds,
        audit,
        all);
  }

  /** Copies the collections, so that the value can't change. */
  public RepairResult {
    strategies = Map.copyOf(strategies);
    stageSeconds = Map.copyOf(stageSeconds);
    findings = List.copyOf(findings);
  }
}
