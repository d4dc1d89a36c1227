package org.shardmend.job.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.UnknownDtypes;

/** Reads the headers of a Hugging Face model once more, for the names that its index must hold. */
final class IndexStage {
  private IndexStage() {}

  private record Named(String tensor, String shard) implements Serializable {}

  /** Which file each tensor lies in; of a name that several hold, which no plan allows, one. */
  static SortedMap<String, String> run(
      SparkJob job, CheckpointAccess access, Checkpoint checkpoint, UnknownDtypes dtypes)
      throws JobException {
    SortedMap<String, String> names = new TreeMap<>();
    List<NamedUnit> units = NamedUnit.of(checkpoint);
    for (ArrayList<Named> ofUnit :
        job.run(
            "Read headers for the index",
            0,
            units,
            (unit, meter) -> {
              ArrayList<Named> named = new ArrayList<>();
              for (NamedTensor tensor : UnitHeaders.read(access, unit, dtypes, meter).tensors()) {
                named.add(new Named(tensor.name(), tensor.shard()));
              }
              return named;
            })) {
      ofUnit.forEach(named -> names.put(named.tensor(), named.shard()));
    }
    return names;
  }
}
