package org.shardmend.audit;

import java.io.Serializable;
import java.time.Instant;
import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.plan.ActionCounts;

/**
 * One run. Its row makes the run's other rows count.
 *
 * @param runId the run
 * @param checkpoint where the source is
 * @param output where the repaired checkpoint is; the source itself when repaired in place, empty
 *     when there is none
 * @param started when the run began
 * @param finished when the run ended
 * @param outcome how it ended
 * @param fingerprint the plan's fingerprint; empty when the run ended before it had a plan
 * @param version this tool's version
 * @param rules names of the rule families that were active
 * @param counts tensors of the source by what became, or would become, of them
 * @param bytesRead bytes read from storage
 * @param bytesWritten bytes written to storage
 * @param user who ran it
 * @param sparkAppId the Spark application's id
 * @param error what was refused or what failed, in one message; empty when nothing was
 * @param findings what was noticed along the way
 */
public record RunRow(
    RunId runId,
    String checkpoint,
    String output,
    Instant started,
    Instant finished,
    RunOutcome outcome,
    String fingerprint,
    String version,
    List<String> rules,
    ActionCounts counts,
    long bytesRead,
    long bytesWritten,
    String user,
    String sparkAppId,
    String error,
    List<Finding> findings)
    implements Serializable {

  /** Copies of the lists, so that the row can't change. */
  public RunRow {
    rules = List.copyOf(rules);
    findings = List.copyOf(findings);
  }
}
