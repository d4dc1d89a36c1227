package org.shardmend.checkpoint;

import java.io.Serializable;
import java.util.Comparator;
import java.util.List;

/**
 * The files that one rank's process reads. Decisions about tensors are taken over all of them
 * together, never per file.
 *
 * @param id whose files they are
 * @param shards the files, by part and then by name
 */
public record LoadUnit(UnitId id, List<Shard> shards) implements Serializable {

  /** Sorts the files. */
  public LoadUnit {
    shards =
        shards.stream()
            .sorted(Comparator.comparingInt(Shard::part).thenComparing(Shard::name))
            .toList();
  }

  /** Length of all files together, in bytes. */
  public long bytes() {
    return shards.stream().mapToLong(Shard::bytes).sum();
  }
}
