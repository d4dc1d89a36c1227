package org.shardmend.report;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a report is made of: one run, as its audit has it.
 *
 * @param run the run itself
 * @param shards its weight files
 * @param changes names of tensors that did not stay as they were; the first ones, when there are
 *     very many
 * @param changedNames how many such names there are
 * @param proofs what has been checked, by action
 * @param findings what was noticed
 */
public record ReportData(
    Run run,
    List<Shard> shards,
    List<Change> changes,
    long changedNames,
    List<Proof> proofs,
    List<Finding> findings) {

  /** Copies of the lists, so that the value can't change. */
  public ReportData {
    shards = List.copyOf(shards);
    changes = List.copyOf(changes);
    proofs = List.copyOf(proofs);
    findings = List.copyOf(findings);
  }

  /**
   * A run.
   *
   * @param id its name
   * @param checkpoint where the source is
   * @param output where the repaired checkpoint is; empty when there is none
   * @param started when it began
   * @param finished when it ended
   * @param outcome done, nothing-to-do, found, refused, failed or rolled-back
   * @param fingerprint the plan's, in hex digits; empty when there was no plan
   * @param version of the tool
   * @param rules names of the active rule families
   * @param counts tensors of the source, by action
   * @param bytesRead bytes read from storage
   * @param bytesWritten bytes written to storage
   * @param user who ran it
   * @param sparkAppId id of the Spark application
   * @param error what was refused or what failed; empty when nothing was
   */
  public record Run(
      String id,
      String checkpoint,
      String output,
      Instant started,
      Instant finished,
      String outcome,
      String fingerprint,
      String version,
      List<String> rules,
      Map<String, Long> counts,
      long bytesRead,
      long bytesWritten,
      String user,
      String sparkAppId,
      String error) {

    /** Copies of the collections, so that the value can't change. */
    public Run {
      rules = List.copyOf(rules);
      counts = Map.copyOf(counts);
    }

    /** How many tensors of the source have this action. */
    public long count(String action) {
      return counts.getOrDefault(action, 0L);
    }

    /** All tensors of the source. */
    public long tensors() {
      return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How long it took. */
    public Duration time() {
      return Duration.between(started, finished);
    }
  }

  /**
   * A place in the grid of processes that load the checkpoint.
   *
   * @param pp the pipeline stage, −1 when the layout names none
   * @param tp the tensor-parallel rank, −1 when the layout names none
   */
  public record Rank(int pp, int tp) implements Comparable<Rank> {
    /** The pipeline stage, where there is one. */
    public OptionalInt stage() {
      return pp < 0 ? OptionalInt.empty() : OptionalInt.of(pp);
    }

    /** The tensor-parallel rank, where there is one. */
    public OptionalInt tensorRank() {
      return tp < 0 ? OptionalInt.empty() : OptionalInt.of(tp);
    }

    @Override
    public int compareTo(Rank other) {
      int byStage = Integer.compare(pp, other.pp);
      return byStage != 0 ? byStage : Integer.compare(tp, other.tp);
    }
  }

  /**
   * A weight file.
   *
   * @param name relative to the checkpoint
   * @param rank whose it is
   * @param strategy how it came to its repaired form
   * @param sourceBytes size in the source, bytes
   * @param targetBytes size in the output, bytes
   * @param bytesRead bytes read from storage for it
   * @param bytesWritten bytes written to storage for it
   * @param tensors how many it held in the source
   * @param changes how many of them were renamed or dropped
   * @param seconds time spent on it
   * @param executor who did it
   */
  public record Shard(
      String name,
      Rank rank,
      String strategy,
      long sourceBytes,
      long targetBytes,
      long bytesRead,
      long bytesWritten,
      long tensors,
      long changes,
      double seconds,
      String executor) {}

  /**
   * A name that changed, in all ranks that had it.
   *
   * @param tensor the name in the source
   * @param target the name in the output; empty when there is none
   * @param action RENAME, DROP or REFUSE
   * @param rule the rule that decided; empty when none did
   * @param reason why; may be empty
   * @param tensors how many tensors of this name there were
   * @param bytes their size, summed
   * @param ranks whose they were, sorted, without repetition
   */
  public record Change(
      String tensor,
      String target,
      String action,
      String rule,
      String reason,
      long tensors,
      long bytes,
      List<Rank> ranks) {

    /** A copy of the list, so that the value can't change. */
    public Change {
      ranks = List.copyOf(ranks);
    }
  }

  /**
   * What has been checked of tensors with one action.
   *
   * @param action KEEP, RENAME, DROP or REFUSE
   * @param verified none, header or full
   * @param tensors how many
   * @param bytes their size, summed
   * @param equal of them, those whose bytes were read back with the source's digest
   * @param different of them, those whose bytes were read back with another digest
   */
  public record Proof(
      String action, String verified, long tensors, long bytes, long equal, long different) {}

  /**
   * Something noticed along the way.
   *
   * @param code a fixed word
   * @param severity INFO, WARNING or ERROR
   * @param shard the weight file; empty when it is none in particular
   * @param message a sentence
   */
  public record Finding(String code, String severity, String shard, String message) {}
}
