package org.shardmend.job;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Checkpoint;
import org.shardmend.checkpoint.ExpectedState;
import org.shardmend.checkpoint.ExpectedUnit;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.NamedUnit;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;

/**
 * Takes the expected state from a healthy checkpoint of the same shape: what each of its ranks
 * holds, by its headers.
 */
final class LikeStage {
  private LikeStage() {}

  private record Receipt(UnitId unit, ArrayList<TensorEntry> tensors, ArrayList<Finding> problems)
      implements Serializable {}

  /**
   * The state that {@code healthy} was saved from.
   *
   * @throws JobException USAGE when there is no checkpoint, REFUSED when it is malformed, FAILED
   *     when it can't be read
   */
  static ExpectedState read(SparkJob job, PlanRequest request, Location healthy)
      throws JobException {
    CheckpointAccess access = new CheckpointAccess(healthy, job.hadoop());
    Checkpoint checkpoint = Discoveries.discover(job, access, request.discovery());
    UnknownDtypes dtypes = request.dtypes();
    List<NamedUnit> named = NamedUnit.of(checkpoint);
    SharedHeaders shared = SharedHeaders.read(job, access, named, dtypes);
    List<ExpectedUnit> units = new ArrayList<>();
    for (Receipt receipt :
        job.run(
            "Read the headers of the healthy checkpoint",
            0,
            named,
            (unit, meter) -> read(access, unit, dtypes, shared, meter))) {
      if (!receipt.problems().isEmpty()) {
        throw JobException.refused(
            receipt.problems().get(0).code(),
            Repairs.message(healthy, receipt.problems()),
            receipt.problems());
      }
      units.add(ExpectedUnit.of(receipt.unit(), receipt.tensors()));
    }
    return ExpectedState.of(units);
  }

  private static Receipt read(
      CheckpointAccess access,
      NamedUnit unit,
      UnknownDtypes dtypes,
      SharedHeaders shared,
      LongConsumer meter)
      throws IOException {
    UnitHeaders headers = UnitHeaders.read(access, unit, dtypes, shared, meter);
    ArrayList<TensorEntry> tensors = new ArrayList<>();
    for (NamedTensor t : headers.tensors()) {
      if (!t.extra()) {
        tensors.add(new TensorEntry(t.name(), t.dtype(), t.shape(), t.begin(), t.end()));
      }
    }
    return new Receipt(unit.id(), tensors, new ArrayList<>(headers.problems()));
  }
}
