package org.shardmend.job.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.PreshardedRead;

/**
 * What one rank of a presharded dump reads of a file.
 *
 * @param unit the rank
 * @param read the line of checksum.json
 */
public record RankRead(UnitId unit, PreshardedRead read) implements Serializable {

  /** Who reads what of each shard, by rank; empty in layouts whose names stand in the headers. */
  public static Map<String, List<RankRead>> byShard(Checkpoint checkpoint) {
    Map<String, List<RankRead>> byShard = new HashMap<>();
    if (checkpoint.checksums().isPresent()) {
      ChecksumJson checksums = checkpoint.checksums().get();
      checksums
          .reads()
          .forEach(
              (rank, reads) -> {
                UnitId unit = checkpoint.units().get(rank).id();
                for (PreshardedRead read : reads) {
                  byShard
                      .computeIfAbsent(
                          checkpoint.directory() + read.filename(), name -> new ArrayList<>())
                      .add(new RankRead(unit, read));
                }
              });
    }
    return byShard;
  }
}
