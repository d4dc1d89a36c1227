package org.shardmend.job.verify;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.shardmend.audit.RunId;
import org.shardmend.checkpoint.Finding;
import org.shardmend.job.audit.AuditQuery;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.storage.publish.Manifest;

/**
 * Names the tensors of shards whose bytes are not what {@code shardmend.json} remembers: the audit
 * that lies in a repaired checkpoint has every tensor's digest.
 */
final class DamagedTensors {
  private final SparkJob job;
  private final CheckpointAccess access;
  private final Manifest manifest;

  DamagedTensors(SparkJob job, CheckpointAccess access, Manifest manifest) {
    this.job = job;
    this.access = access;
    this.manifest = manifest;
  }

  /**
   * A fault for each damaged tensor, or for the whole shard where the audit does not say.
   *
   * @param suspects the digests of every tensor of the shards concerned, by shard and name
   */
  List<Finding> faults(Map<String, Map<String, String>> suspects) {
    Map<String, Map<String, String>> remembered = remembered(suspects.keySet());
    List<Finding> faults = new ArrayList<>();
    suspects.forEach(
        (shard, held) -> {
          List<Finding> named = named(shard, held, remembered.getOrDefault(shard, Map.of()));
          if (named.isEmpty()) {
            faults.add(
                Finding.fault(
                    "bytes-differ",
                    shard,
                    "",
                    "%s does not hold the bytes that run %s wrote; restore it from the source"
                        .formatted(shard, manifest.runId())));
          }
          faults.addAll(named);
        });
    return faults;
  }

  private List<Finding> named(String shard, Map<String, String> held, Map<String, String> known) {
    Set<String> damaged = new HashSet<>();
    known.forEach(
        (tensor, digest) -> {
          if (!digest.equals(held.get(tensor))) {
            damaged.add(tensor);
          }
        });
    return damaged.stream()
        .sorted()
        .map(
            tensor ->
                Finding.fault(
                    "bytes-differ",
                    shard,
                    tensor,
                    "%s: '%s' does not hold the bytes that run %s wrote; restore it from the source"
                        .formatted(shard, tensor, manifest.runId())))
        .toList();
  }

  /** Each tensor's digest by shard and name, as far as the checkpoint's own audit has it. */
  private Map<String, Map<String, String>> remembered(Set<String> shards) {
    Map<String, Map<String, String>> remembered = new HashMap<>();
    if (!RunId.isRunId(manifest.runId())) {
      return remembered;
    }
    try {
      new AuditQuery(job, access.location())
          .run(new RunId(manifest.runId()))
          .read(run -> {}, row -> remember(row, shards, remembered));
    } catch (JobException e) {
      job.progress().message("The audit can't say which tensors are concerned: " + e.getMessage());
    }
    return remembered;
  }

  private static void remember(
      Row row, Set<String> shards, Map<String, Map<String, String>> remembered) {
    String shard = row.getAs("target_shard");
    String tensor = row.getAs("target_tensor");
    String digest =
        Optional.ofNullable(row.<String>getAs("target_digest")).orElse(row.getAs("source_digest"));
    if (shards.contains(shard) && tensor != null && digest != null) {
      remembered.computeIfAbsent(shard, name -> new HashMap<>()).put(tensor, digest);
    }
  }
}
