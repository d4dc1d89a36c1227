package org.shardmend.job.repair;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.shardmend.audit.RunId;
import org.shardmend.audit.RunOutcome;
import org.shardmend.audit.RunRow;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.files.Release;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.plan.ActionCounts;
import org.shardmend.rules.RuleFamily;

/** One run as it goes along: who, when, on what; at its end a row of the audit. */
public final class RunRecord {
  private static final Clock CLOCK = Clock.systemUTC();

  private final RunId id;
  private final Instant started = CLOCK.instant();
  private final long startedNanos = System.nanoTime();
  private final PlanRequest request;
  private final String application;

  public RunRecord(PlanRequest request, String application) {
    this(nextId(), request, application);
  }

  RunRecord(RunId id, PlanRequest request, String application) {
    this.id = id;
    this.request = request;
    this.application = application;
  }

  static RunId nextId() {
    return RunId.next(CLOCK, new SecureRandom());
  }

  public RunId id() {
    return id;
  }

  double seconds() {
    return (System.nanoTime() - startedNanos) / 1e9;
  }

  List<String> ruleNames() {
    return request.rules().stream().map(RuleFamily::name).toList();
  }

  /** The row of a run that ended with a plan. */
  RunRow row(
      RunOutcome outcome,
      String output,
      String fingerprint,
      ActionCounts counts,
      long bytesRead,
      long bytesWritten,
      List<Finding> findings) {
    return new RunRow(
        id,
        request.checkpoint().toString(),
        output,
        started,
        CLOCK.instant(),
        outcome,
        fingerprint,
        Release.version(),
        ruleNames(),
        counts,
        bytesRead,
        bytesWritten,
        System.getProperty("user.name", ""),
        application,
        "",
        findings);
  }

  /**
   * The row of a run that ended with an error.
   *
   * @param fingerprint what tells whether the source is still the same; empty when nothing does
   * @param counts of the plan, as far as there was one
   * @param bytesRead what it had read by then
   */
  public RunRow failure(
      JobException failure,
      String output,
      String fingerprint,
      ActionCounts counts,
      long bytesRead) {
    return new RunRow(
        id,
        request.checkpoint().toString(),
        output,
        started,
        CLOCK.instant(),
        failure.kind() == JobException.Kind.REFUSED ? RunOutcome.REFUSED : RunOutcome.FAILED,
        fingerprint,
        Release.version(),
        ruleNames(),
        counts,
        bytesRead,
        0,
        System.getProperty("user.name", ""),
        application,
        failure.getMessage(),
        failure.problems());
  }
}
