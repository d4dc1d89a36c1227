package org.shardmend.job.sweep;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.Release;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.plan.PlanRequest;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.ActionCounts;
import org.shardmend.rules.RuleSet;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.Location;
import org.shardmend.storage.Store;
import org.shardmend.storage.Stores;

/**
 * What earlier sweeps have refused, as the audit has it: by location, and by a digest of all that a
 * refusal can depend on and that is known without opening a file.
 */
final class RefusedBefore {
  private static final String LISTING = "listing-";

  private final Map<String, Refusal> refused = new HashMap<>();
  private final String settings;

  /**
   * What is known of a refusal.
   *
   * @param run the run that refused
   * @param counts tensors by what would have become of them; none where there was no plan
   */
  record Refusal(String run, ActionCounts counts) {
    private Refusal later(Refusal other) {
      return run.compareTo(other.run) >= 0 ? this : other;
    }
  }

  private RefusedBefore(PlanRequest template) {
    this.settings = settings(template);
  }

  /** The memory of a sweep that tries everything again. */
  static RefusedBefore nothing(PlanRequest template) {
    return new RefusedBefore(template);
  }

  /**
   * Reads it from the audit; one that does not exist yet remembers nothing.
   *
   * @param template how checkpoints are read
   * @throws JobException FAILED when the audit can't be read
   */
  static RefusedBefore read(SparkJob job, Location audit, PlanRequest template)
      throws JobException {
    RefusedBefore memory = new RefusedBefore(template);
    try (Store store = Stores.open(audit, job.hadoop())) {
      if (store.stat(audit.path()).isEmpty()) {
        return memory;
      }
    } catch (IOException e) {
      throw JobException.failed(
          "unreadable-audit", "Cannot read the audit %s: %s".formatted(audit, e.getMessage()), e);
    }
    new AuditQuery(job, audit).refusals(memory::take);
    return memory;
  }

  private void take(Row run) {
    Refusal refusal =
        new Refusal(
            run.getAs("run_id"), ActionCounts.ofNames(run.getJavaMap(run.fieldIndex("counts"))));
    refused.merge(key(run.getAs("checkpoint"), run.getAs("fingerprint")), refusal, Refusal::later);
  }

  private static String key(String checkpoint, String listing) {
    return checkpoint + '\0' + listing;
  }

  /** The last refusal of a checkpoint in just this state. */
  Optional<Refusal> of(Location checkpoint, String listing) {
    return Optional.ofNullable(refused.get(key(checkpoint.toString(), listing)));
  }

  /**
   * What tells cheaply whether a second try could end otherwise: names, sizes and times of the
   * files, the rules and options, and our own version.
   */
  String listing(SweepTree.Candidate candidate) {
    StringBuilder text = new StringBuilder(settings);
    for (FileStatus entry : candidate.entries()) {
      if (!entry.isDirectory()) {
        text.append(entry.name())
            .append('\0')
            .append(entry.bytes())
            .append('\0')
            .append(entry.modifiedMillis())
            .append('\n');
      }
    }
    return LISTING + SourceHeader.digest(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static String settings(PlanRequest template) {
    StringBuilder text = new StringBuilder(Release.version()).append('\n');
    for (Layout layout : Layout.values()) {
      text.append(RuleSet.of(template.rules(), layout.id()).canonicalJson()).append('\n');
    }
    return text.append(template.discovery().layout())
        .append('\n')
        .append(template.discovery().pattern())
        .append('\n')
        .append(template.dtypes())
        .append('\n')
        .append(template.rewrites().canonical())
        .append('\n')
        .toString();
  }
}
