package org.shardmend.job.verify;

import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Wording;
import org.shardmend.plan.alias.IdenticalRanks;
import org.shardmend.plan.alias.RankSlices;
import org.shardmend.storage.Location;

/** Says which ranks' files lie under another rank's name. */
final class RankFaults {
  private RankFaults() {}

  /** A fault for each file that holds slices of another rank's. */
  static List<Finding> misplaced(List<RankSlices.Misplaced> misplaced, Location model) {
    return misplaced.stream()
        .map(
            file ->
                Finding.fault(
                    "misplaced-rank",
                    file.shard(),
                    "",
                    "%s holds in %s, such as '%s', the slices of %s that are rank %d's, and none of its own: bring each rank's files back under its own name"
                        .formatted(
                            file.unit().label(),
                            Wording.count(file.tensors(), "tensor", "tensors"),
                            file.example(),
                            model,
                            file.holds())))
        .toList();
  }

  /** A fault for each pair. */
  static List<Finding> identical(List<IdenticalRanks.Pair> pairs) {
    return pairs.stream()
        .map(
            pair ->
                Finding.fault(
                    "identical-ranks",
                    pair.shards().get(0),
                    "",
                    "%s and %s hold identical bytes in %s, such as '%s', %s (%s): the files of one rank lie under the other's name; bring those of the other rank from where the model was saved"
                        .formatted(
                            pair.one().label(),
                            pair.other().label(),
                            Wording.count(pair.tensors(), "matrix", "matrices"),
                            pair.example(),
                            pair.everywhere()
                                ? "and in no stage a matrix that differs"
                                : "of kinds that differ between these ranks elsewhere",
                            Wording.examples(pair.shards()))))
        .toList();
  }
}
