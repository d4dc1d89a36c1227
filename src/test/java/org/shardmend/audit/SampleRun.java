package org.shardmend.audit;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.plan.Action;
import org.shardmend.plan.ActionCounts;
import org.shardmend.plan.Strategy;
import org.shardmend.safetensors.Shape;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

/**
 * A repair of a checkpoint of pp × tp ranks, one shard each, as its audit has it. In every shard:
 * one tensor is kept, one renamed, and one dropped beside its canonical twin.
 *
 * @param run the run's row
 * @param shards one row per rank
 * @param tensors four rows per rank
 */
public record SampleRun(RunRow run, List<ShardRow> shards, List<TensorRow> tensors) {
  /** Size of each tensor, in bytes. */
  public static final long TENSOR_BYTES = 4096;

  private static final String MLA = "mla-kv-b-proj#1";

  /** A run that is done. */
  public static SampleRun done(String runId, String checkpoint, int pp, int tp) {
    RunId run = new RunId(runId);
    List<ShardRow> shards = new ArrayList<>();
    List<TensorRow> tensors = new ArrayList<>();
    for (int stage = 0; stage < pp; stage++) {
      for (int rank = 0; rank < tp; rank++) {
        UnitId unit = new UnitId(stage, rank);
        shards.add(shard(run, unit));
        tensors.addAll(tensors(run, checkpoint, unit));
      }
    }
    long ranks = shards.size();
    return new SampleRun(
        new RunRow(
            run,
            checkpoint,
            checkpoint + "-repaired",
            Instant.parse("2026-11-30T08:15:00.123456Z"),
            Instant.parse("2026-11-30T08:15:07.5Z"),
            RunOutcome.DONE,
            "f1".repeat(32),
            "0.1.0",
            List.of("mla-kv-b-proj"),
            new ActionCounts(2 * ranks, ranks, ranks, 0),
            20_000 * ranks,
            16_000 * ranks,
            "someone",
            "local-1",
            "",
            List.of(
                new Finding(
                    "stale-index", Severity.WARNING, "", "The index names files that are gone."))),
        shards,
        tensors);
  }

  /** A run that was refused: it has its own row alone. */
  public static SampleRun refused(String runId, String checkpoint, String error) {
    return new SampleRun(
        new RunRow(
            new RunId(runId),
            checkpoint,
            "",
            Instant.parse("2026-11-30T09:00:00Z"),
            Instant.parse("2026-11-30T09:00:01Z"),
            RunOutcome.REFUSED,
            "",
            "0.1.0",
            List.of("mla-kv-b-proj"),
            ActionCounts.NONE,
            1000,
            0,
            "someone",
            "local-1",
            error,
            List.of()),
        List.of(),
        List.of());
  }

  private static ShardRow shard(RunId run, UnitId unit) {
    String name = "model-pp-%d-rank-%d-part-0.safetensors".formatted(unit.pp(), unit.tp());
    return new ShardRow(
        run,
        name,
        name,
        unit,
        0,
        Strategy.COPY,
        new ShardRow.Bytes(
            4 * TENSOR_BYTES + 512, 3 * TENSOR_BYTES + 512, 512, 20_000, 3 * TENSOR_BYTES + 512),
        new ShardRow.Counts(4, 1, 1),
        "d1".repeat(16),
        Duration.ofMillis(1500 + 10L * unit.tp()),
        "driver");
  }

  private static List<TensorRow> tensors(RunId run, String checkpoint, UnitId unit) {
    return List.of(
        row(run, checkpoint, unit, 0, "layers.0.norm.weight", "layers.0.norm.weight", Action.KEEP),
        row(
            run,
            checkpoint,
            unit,
            1,
            "layers.0.attn_mha.kv_b_proj.weight",
            "layers.0.kv_b_proj.weight",
            Action.RENAME),
        row(
            run,
            checkpoint,
            unit,
            2,
            "layers.1.kv_b_proj.weight",
            "layers.1.kv_b_proj.weight",
            Action.KEEP),
        row(run, checkpoint, unit, 3, "layers.1.attn_mha.kv_b_proj.weight", "", Action.DROP));
  }

  private static TensorRow row(
      RunId run,
      String checkpoint,
      UnitId unit,
      int index,
      String name,
      String target,
      Action action) {
    String shard = "model-pp-%d-rank-%d-part-0.safetensors".formatted(unit.pp(), unit.tp());
    long begin = index * TENSOR_BYTES;
    long end = begin + TENSOR_BYTES;
    String digest = digest(unit, action == Action.DROP ? index - 1 : index);
    boolean changed = action != Action.KEEP;
    return new TensorRow(
        run,
        checkpoint,
        Layout.SHARDED_STATE,
        unit,
        0,
        new TensorPlace(shard, name, begin, end),
        target.isEmpty() ? TensorPlace.NONE : new TensorPlace(shard, target, begin, end),
        action,
        changed ? MLA : "",
        changed ? "The alias of kv_b_proj." : "",
        "BF16",
        Shape.of(2, 1024),
        new TensorDigests("xxh3-128", digest, target.isEmpty() ? "" : digest),
        Verification.FULL,
        proof(action));
  }

  private static String proof(Action action) {
    return switch (action) {
      case KEEP, REFUSE -> "";
      case RENAME -> "family";
      case DROP -> "bytes";
    };
  }

  /** A dropped tensor has the bytes, thus the digest, of its twin before it. */
  private static String digest(UnitId unit, int index) {
    return "%032x".formatted(unit.pp() * 1000L + unit.tp() * 10L + index);
  }

  /** Writes the run's files and appends them to the audit at {@code root}. */
  public boolean appendTo(Path root) throws IOException {
    Store store = new LocalStore();
    return new AuditAppend(store, root.toString()).append(run.runId(), stage(store, root));
  }

  /** Writes the run's files, but does not append them: two files of tensors, one of the others. */
  Map<AuditTable<?>, List<String>> stage(Store store, Path root) throws IOException {
    String directory = root + "/" + AuditLayout.staging(run.runId());
    store.makeDirectories(directory);
    int half = tensors.size() / 2;
    Map<AuditTable<?>, List<String>> staged = new LinkedHashMap<>();
    staged.put(
        AuditTable.TENSORS,
        List.of(
            file(store, directory + "/tensors-0", AuditTable.TENSORS, tensors.subList(0, half)),
            file(
                store,
                directory + "/tensors-1",
                AuditTable.TENSORS,
                tensors.subList(half, tensors.size()))));
    staged.put(
        AuditTable.SHARDS,
        List.of(file(store, directory + "/shards-0", AuditTable.SHARDS, shards)));
    staged.put(
        AuditTable.RUNS,
        List.of(file(store, directory + "/runs-0", AuditTable.RUNS, List.of(run))));
    return staged;
  }

  private static <R> String file(Store store, String path, AuditTable<R> table, List<R> rows)
      throws IOException {
    try (AuditFileWriter<R> writer = AuditFileWriter.open(table, store.create(path))) {
      for (R row : rows) {
        writer.write(row);
      }
      writer.complete();
    }
    return path;
  }
}
