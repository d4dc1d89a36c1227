package org.shardmend.report;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Reports of made-up runs, of any size. */
final class SampleReport {
  private SampleReport() {}

  /** A repair of pp × tp ranks with so many parts each, one changed tensor every second layer. */
  static ReportData repaired(int pp, int tp, int parts) {
    Random random = new Random(7);
    List<ReportData.Shard> shards = new ArrayList<>();
    List<ReportData.Rank> ranks = new ArrayList<>();
    for (int stage = 0; stage < pp; stage++) {
      for (int rank = 0; rank < tp; rank++) {
        ranks.add(new ReportData.Rank(stage, rank));
        for (int part = 0; part < parts; part++) {
          long bytes = part == parts - 1 ? (1L << 30) + random.nextInt(1 << 30) : 5L << 30;
          int changes = (stage * 7 + part) % 5 == 0 ? 0 : 2 + stage % 3;
          shards.add(
              new ReportData.Shard(
                  "model-pp-%d-rank-%d-part-%d.safetensors".formatted(stage, rank, part),
                  new ReportData.Rank(stage, rank),
                  changes == 0 ? "CLONE" : "COPY",
                  bytes,
                  bytes,
                  changes == 0 ? 4096 : bytes,
                  changes == 0 ? 4096 : bytes,
                  120,
                  changes,
                  (changes == 0 ? 0.05 : bytes / 4.0e8) * (1 + random.nextDouble() * 0.6),
                  Integer.toString(rank)));
        }
      }
    }
    List<ReportData.Change> changes = new ArrayList<>();
    for (int layer = 0; layer < 61; layer += 2) {
      String prefix = "model.layers.%d.self_attn.".formatted(layer);
      List<ReportData.Rank> stage = ranksOf(ranks, layer * pp / 61);
      changes.add(
          new ReportData.Change(
              prefix + "attn_mha.kv_b_proj.weight",
              prefix + "kv_b_proj.weight",
              "RENAME",
              "mla-kv-b-proj#1",
              "An alias, and the canonical name is free.",
              stage.size(),
              stage.size() * 33_554_432L,
              stage));
      if (layer % 4 == 0) {
        changes.add(
            new ReportData.Change(
                prefix + "attn_mha.kv_b_proj.weight_scale_inv",
                "",
                "DROP",
                "mla-kv-b-proj#1",
                "Equal, byte for byte, to " + prefix + "kv_b_proj.weight_scale_inv.",
                stage.size(),
                stage.size() * 8192L,
                stage));
      }
    }
    long renamed = count(changes, "RENAME");
    long dropped = count(changes, "DROP");
    long tensors = 120L * shards.size();
    long bytes = shards.stream().mapToLong(ReportData.Shard::bytesWritten).sum();
    return new ReportData(
        run(
            "done",
            "",
            Map.of(
                "KEEP",
                tensors - renamed - dropped,
                "RENAME",
                renamed,
                "DROP",
                dropped,
                "REFUSE",
                0L),
            bytes),
        shards,
        changes,
        changes.size(),
        List.of(
            new ReportData.Proof("DROP", "full", dropped, dropped * 8192, 0, 0),
            new ReportData.Proof(
                "KEEP", "full", tensors - renamed - dropped, bytes, tensors - renamed - dropped, 0),
            new ReportData.Proof("RENAME", "full", renamed, renamed << 25, renamed, 0)),
        List.of(
            new ReportData.Finding(
                "stale-index",
                "WARNING",
                "",
                "The source has a model.safetensors.index.json that names files which are not"
                    + " there. It was left out."),
            new ReportData.Finding(
                "done-markers",
                "INFO",
                "",
                "All markers .sharded-state-done-* are present: every shard was written, only the"
                    + " tidying is missing.")));
  }

  private static List<ReportData.Rank> ranksOf(List<ReportData.Rank> ranks, int stage) {
    return ranks.stream().filter(rank -> rank.pp() == stage).toList();
  }

  private static long count(List<ReportData.Change> changes, String action) {
    return changes.stream()
        .filter(change -> change.action().equals(action))
        .mapToLong(ReportData.Change::tensors)
        .sum();
  }

  /** A run that was refused. */
  static ReportData refused(String error) {
    return new ReportData(
        run("refused", error, Map.of(), 0),
        List.of(),
        List.of(),
        0,
        List.of(),
        List.of(
            new ReportData.Finding(
                "unfinished-save",
                "ERROR",
                "model-pp-3-rank-1-part-0.safetensors",
                "3 of 32 done markers are present: the save never finished. Write the checkpoint"
                    + " again.")));
  }

  private static ReportData.Run run(
      String outcome, String error, Map<String, Long> counts, long bytes) {
    return new ReportData.Run(
        "r20261130T081500Z-1a2b3c4d",
        "/lustre/models/moonshotai/Kimi-K3-sharded-tp4-pp8-ep4",
        outcome.equals("done")
            ? "/lustre/models/moonshotai/Kimi-K3-sharded-tp4-pp8-ep4-repaired"
            : "",
        Instant.parse("2026-11-30T08:15:00Z"),
        Instant.parse("2026-11-30T08:34:12Z"),
        outcome,
        outcome.equals("done") ? "9f2c".repeat(16) : "",
        "0.1.0",
        List.of("mla-kv-b-proj"),
        counts,
        bytes,
        bytes,
        "modelops",
        "app-20261130081458-0007",
        error);
  }

  /** The same data with every text replaced by this one. */
  static ReportData hostile(String text) {
    ReportData.Rank rank = new ReportData.Rank(0, 0);
    return new ReportData(
        new ReportData.Run(
            text,
            text,
            text,
            Instant.EPOCH,
            Instant.EPOCH,
            "failed",
            text,
            text,
            List.of(text),
            Map.of("KEEP", 1L),
            1,
            1,
            text,
            text,
            text),
        List.of(
            new ReportData.Shard(text, rank, text, 1, 1, 1, 1, 1, 1, 1, text),
            new ReportData.Shard(text, new ReportData.Rank(0, 1), text, 1, 1, 1, 1, 1, 0, 1, text)),
        List.of(
            new ReportData.Change(text, text + ".x", "RENAME", text, text, 1, 1, List.of(rank)),
            new ReportData.Change(text, "", "DROP", text, text, 1, 1, List.of(rank))),
        2,
        List.of(new ReportData.Proof("KEEP", "full", 1, 1, 1, 0)),
        List.of(new ReportData.Finding(text, "ERROR", text, text)));
  }
}
