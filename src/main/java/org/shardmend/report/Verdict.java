package org.shardmend.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.shardmend.plan.Action;
import org.shardmend.plan.ByteSize;
import org.shardmend.plan.Strategy;

/**
 * A run in sentences.
 *
 * @param wrong what was wrong
 * @param done what was done
 * @param proof how that is proven
 * @param contradicted whether bytes were read back that are not the source's
 */
record Verdict(List<String> wrong, List<String> done, List<String> proof, boolean contradicted) {
  private static final String ROLLED_BACK = "rolled-back";

  private static final Set<String> HEADERS_ONLY =
      Set.of(
          Strategy.PATCH.name(), Strategy.CLONE.name(), Strategy.LINK.name(), Strategy.NONE.name());

  static Verdict of(ReportData data) {
    long different = data.proofs().stream().mapToLong(ReportData.Proof::different).sum();
    return new Verdict(wrong(data), done(data), proof(data, different), different > 0);
  }

  private static List<String> wrong(ReportData data) {
    ReportData.Run run = data.run();
    if (run.outcome().equals(ROLLED_BACK)) {
      return List.of("A repair in place was not to stay.");
    }
    List<String> sentences = new ArrayList<>();
    run.error().lines().map(PageText::text).forEach(sentences::add);
    long changes = run.tensors() - run.count(Action.KEEP.name());
    if (changes > 0) {
      sentences.add(
          "%s of %s had a name that the model does not ask for when it loads."
              .formatted(PageText.number(changes), PageText.count(run.tensors(), "tensor")));
    }
    long shards = data.shards().stream().filter(shard -> shard.changes() > 0).count();
    if (shards > 0) {
      sentences.add(
          "They were in %s of %s."
              .formatted(PageText.number(shards), PageText.count(data.shards().size(), "shard")));
    }
    if (sentences.isEmpty()) {
      sentences.add("Nothing: every tensor has the name that the rules want.");
    }
    return sentences;
  }

  private static List<String> done(ReportData data) {
    ReportData.Run run = data.run();
    if (run.outcome().equals("refused")) {
      return List.of("Nothing was changed: the checkpoint can't be repaired safely as it is.");
    }
    if (run.outcome().equals("failed")) {
      return List.of("Nothing was published. Running again goes on where this run ended.");
    }
    if (run.outcome().equals(ROLLED_BACK)) {
      return List.of("Every header was put back as it was before the repair.");
    }
    List<String> sentences = new ArrayList<>();
    long renamed = run.count(Action.RENAME.name());
    long dropped = run.count(Action.DROP.name());
    if (renamed > 0) {
      sentences.add("%s got the right name.".formatted(PageText.count(renamed, "tensor")));
    }
    if (dropped > 0) {
      sentences.add(
          "%s left out, beside an equal one that stays."
              .formatted(PageText.count(dropped, "tensor") + (dropped == 1 ? " was" : " were")));
    }
    if (!data.shards().isEmpty()) {
      sentences.add("Shards by strategy: %s.".formatted(strategies(data.shards())));
    }
    sentences.add(
        "%s read and %s written in %s."
            .formatted(
                ByteSize.format(run.bytesRead()),
                ByteSize.format(run.bytesWritten()),
                PageText.duration(run.time())));
    return sentences;
  }

  private static String strategies(List<ReportData.Shard> shards) {
    Map<String, Long> counts =
        shards.stream()
            .collect(
                Collectors.groupingBy(
                    ReportData.Shard::strategy, TreeMap::new, Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> PageText.number(entry.getValue()) + " " + PageText.text(entry.getKey()))
        .collect(Collectors.joining(", "));
  }

  private static List<String> proof(ReportData data, long different) {
    List<String> sentences = new ArrayList<>();
    if (different > 0) {
      sentences.add(
          "%s back with other bytes than the source has. Do not use the output."
              .formatted(PageText.count(different, "tensor") + " came"));
    }
    long placed = tensors(data, Set.of("none", "header", "full"));
    long equal = data.proofs().stream().mapToLong(ReportData.Proof::equal).sum();
    if (equal > 0) {
      sentences.add(
          "%s in the output came back with the digests that they have in the source."
              .formatted(
                  equal == placed
                      ? "All " + PageText.count(placed, "tensor")
                      : PageText.number(equal) + " of " + PageText.count(placed, "tensor")));
    }
    if (tensors(data, Set.of("header")) > 0) {
      sentences.add(
          "Every written shard was opened again: its length, its header, the plan and the loader's"
              + " contract hold.");
    }
    if (!data.shards().isEmpty()
        && data.shards().stream().allMatch(shard -> HEADERS_ONLY.contains(shard.strategy()))) {
      sentences.add("Only headers were written: no byte of a tensor moved.");
    } else if (equal == 0 && tensors(data, Set.of("header")) > 0) {
      sentences.add(
          "The data of the tensors was not read back; verify --against SOURCE --full does that.");
    }
    if (data.run().count(Action.DROP.name()) > 0) {
      sentences.add("What was left out had been compared, byte for byte, with what stays.");
    }
    if (sentences.isEmpty()) {
      sentences.add(
          placed > 0
              ? "Nothing was read back."
              : "There is nothing to prove: nothing was written.");
    }
    return sentences;
  }

  /** Tensors of the output that have been checked that far. */
  private static long tensors(ReportData data, Set<String> verified) {
    return data.proofs().stream()
        .filter(proof -> verified.contains(proof.verified()))
        .filter(
            proof ->
                proof.action().equals(Action.KEEP.name())
                    || proof.action().equals(Action.RENAME.name()))
        .mapToLong(ReportData.Proof::tensors)
        .sum();
  }
}
