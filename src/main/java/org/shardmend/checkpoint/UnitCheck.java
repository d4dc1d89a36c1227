package org.shardmend.checkpoint;

import java.io.IOException;
import java.io.Serializable;
import java.util.List;

/** Holds the headers of one load unit to what the checkpoint says beside them. */
public interface UnitCheck extends Serializable {

  /**
   * What a user should know.
   *
   * @param shards the unit's shards; where one is left out, its tensors are missing
   * @param reads for checks that need a tensor's value
   * @throws IOException if a value can't be read
   */
  List<Finding> check(List<ScannedShard> shards, SmallReads reads) throws IOException;
}
