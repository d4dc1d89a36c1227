package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.FindingCode;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.UnitSummary;
import org.shardmend.checkpoint.finding.SiblingFindings;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/**
 * Compares the TP ranks of each pipeline stage by their summaries; only where they differ are the
 * headers of two ranks read again, for examples.
 */
final class SiblingStage {
  private SiblingStage() {}

  private record Task(
      FindingCode code, NamedUnit reference, NamedUnit other, ArrayList<UnitId> others)
      implements Serializable {}

  static List<Finding> run(
      SparkJob job,
      CheckpointAccess access,
      List<NamedUnit> units,
      List<UnitSummary> summaries,
      UnknownDtypes dtypes)
      throws JobException {
    Map<UnitId, NamedUnit> byId = new HashMap<>();
    units.forEach(unit -> byId.put(unit.id(), unit));
    List<Task> tasks =
        SiblingFindings.mismatches(summaries).stream()
            .map(
                mismatch ->
                    new Task(
                        mismatch.code(),
                        byId.get(mismatch.reference()),
                        byId.get(mismatch.others().get(0)),
                        new ArrayList<>(mismatch.others())))
            .toList();
    return job.run(
        "Look at ranks that differ",
        0,
        tasks,
        (task, meter) -> compare(access, task, dtypes, meter));
  }

  private static Finding compare(
      CheckpointAccess access, Task task, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    return SiblingFindings.finding(
        new SiblingFindings.Mismatch(task.code(), task.reference().id(), task.others()),
        tensors(access, task.reference(), dtypes, meter),
        tensors(access, task.other(), dtypes, meter));
  }

  private static List<TensorEntry> tensors(
      CheckpointAccess access, NamedUnit unit, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    return UnitHeaders.read(access, unit, dtypes, meter).entries();
  }
}
