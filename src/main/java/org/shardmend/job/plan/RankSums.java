package org.shardmend.job.plan;

import java.util.List;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.KeyHash;

/** Recomputes the sums by which a presharded loader checks each rank's names and keys. */
public final class RankSums {
  private RankSums() {}

  /** A problem for each rank whose sum is wrong; none in layouts without sums. */
  public static List<Finding> problems(Checkpoint checkpoint) {
    return checkpoint.checksums().stream()
        .flatMap(
            checksums ->
                checksums.ranksWithWrongSums(KeyHash.function(checksums.hash())).stream()
                    .map(rank -> problem(checkpoint, rank)))
        .toList();
  }

  private static Finding problem(Checkpoint checkpoint, int rank) {
    String file = checkpoint.directory() + ChecksumJson.FILE_NAME;
    return FindingCode.RANK_CHECKSUM.finding(
        file,
        "%s: the sum of rank %d (%s) is not that of its names and keys, so its loader refuses them. Bring %s from where the dump was made, or dump the model again."
            .formatted(
                file, rank, checkpoint.units().get(rank).id().label(), ChecksumJson.FILE_NAME));
  }
}
