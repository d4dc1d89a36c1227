package org.shardmend.job.plan;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.expected.ExpectedTensor;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.files.SharedHeaderStage;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;

/**
 * What loaders expect by a healthy checkpoint of the same shape: what each of its ranks holds, by
 * its headers. All of them are read once to see that they can be, and a unit's again by the task
 * that needs them: nobody holds the names of the whole checkpoint.
 */
public final class HealthyUnits implements ExpectedUnits {
  private final CheckpointAccess access;
  private final List<NamedUnit> units;
  private final UnknownDtypes dtypes;
  private final SharedHeaderStage shared;

  private HealthyUnits(
      CheckpointAccess access,
      List<NamedUnit> units,
      UnknownDtypes dtypes,
      SharedHeaderStage shared) {
    this.access = access;
    this.units = units;
    this.dtypes = dtypes;
    this.shared = shared;
  }

  private record Receipt(ArrayList<Finding> problems) implements Serializable {}

  /**
   * The units of {@code healthy}.
   *
   * @throws JobException USAGE when there is no checkpoint, REFUSED when it is malformed, FAILED
   *     when it can't be read
   */
  public static HealthyUnits of(SparkJob job, PlanRequest request, Location healthy)
      throws JobException {
    CheckpointAccess access = new CheckpointAccess(healthy, job.hadoop());
    UnknownDtypes dtypes = request.dtypes();
    List<NamedUnit> units = NamedUnit.of(Discoveries.discover(job, access, request.discovery()));
    SharedHeaderStage shared = SharedHeaderStage.read(job, access, units, dtypes);
    for (Receipt receipt :
        job.run(
            "Read the headers of the healthy checkpoint",
            0,
            units,
            (unit, meter) ->
                new Receipt(
                    new ArrayList<>(
                        UnitHeaders.read(access, unit, dtypes, shared, meter).problems())))) {
      if (!receipt.problems().isEmpty()) {
        throw JobException.refused(healthy, receipt.problems());
      }
    }
    return new HealthyUnits(access, units, dtypes, shared);
  }

  @Override
  public List<UnitId> ranks() {
    return units.stream().map(NamedUnit::id).toList();
  }

  @Override
  public UnitExpectation of(UnitId unit) {
    return held(units.stream().filter(healthy -> healthy.id().includes(unit)));
  }

  @Override
  public UnitExpectation ofAll() {
    return held(units.stream());
  }

  private Held held(Stream<NamedUnit> of) {
    return new Held(access, of.collect(Collectors.toCollection(ArrayList::new)), dtypes, shared);
  }

  /** What these units hold, but for plain attributes: those are set without being asked for. */
  private record Held(
      CheckpointAccess access,
      ArrayList<NamedUnit> units,
      UnknownDtypes dtypes,
      SharedHeaderStage shared)
      implements UnitExpectation {

    @Override
    public Optional<Map<String, ExpectedTensor>> read(LongConsumer meter) throws IOException {
      Map<String, ExpectedTensor> expected = new LinkedHashMap<>();
      for (NamedUnit unit : units) {
        UnitHeaders headers = UnitHeaders.read(access, unit, dtypes, shared, meter);
        if (!headers.problems().isEmpty()) {
          throw new IOException(
              "%s has changed while it was read: %s"
                  .formatted(access.location(), headers.problems().get(0).message()));
        }
        for (NamedTensor tensor : headers.tensors()) {
          if (!tensor.extra()) {
            expected.put(tensor.name(), ExpectedTensor.of(tensor.dtype(), tensor.shape()));
          }
        }
      }
      return Optional.of(expected);
    }
  }
}
