package org.shardmend.job.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.CheckpointLayout.OriginalModel;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.alias.IdenticalRanks;
import org.shardmend.plan.alias.RankSlices;
import org.shardmend.plan.alias.TensorSample;
import org.shardmend.plan.alias.TwinComparison;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.publish.Manifest;

/**
 * What {@code verify --full} does: reads every byte once, and holds it to whatever says what it
 * should be: digests that a repair remembers, a dump's keys, the other ranks, and a healthy
 * checkpoint.
 */
final class WholeCheck {
  private final SparkJob job;
  private final CheckpointAccess access;
  private final VerifyRequest request;
  private final Checkpoint checkpoint;
  private final UnknownDtypes dtypes;
  private final DigestStage digests;
  private final Set<UnitId> notRead;

  /**
   * @param manifest what the last repair has left, if one has
   * @param notRead load units that no process reads, so that it does no harm if they hold the bytes
   *     of others
   */
  WholeCheck(
      SparkJob job,
      CheckpointAccess access,
      VerifyRequest request,
      Checkpoint checkpoint,
      Optional<Manifest> manifest,
      Set<UnitId> notRead) {
    this.job = job;
    this.notRead = Set.copyOf(notRead);
    this.access = access;
    this.request = request;
    this.checkpoint = checkpoint;
    this.dtypes = request.plan().dtypes();
    this.digests = DigestStage.of(job, access, checkpoint, manifest, dtypes);
  }

  /**
   * Reads and compares.
   *
   * @throws JobException as {@link VerifyAction#execute}
   */
  WholeRead run() throws JobException {
    WholeRead read = read(access, checkpoint, digests);
    List<Finding> faults = new ArrayList<>(read.faults());
    List<Finding> findings = new ArrayList<>(read.findings());
    DigestCoverage coverage = read.coverage();
    // Of a dump's ranks, tensors that are alike are one by design.
    if (checkpoint.layout().contentKeys().isEmpty()) {
      List<TensorSample> samples =
          read.samples().stream().filter(sample -> !notRead.contains(sample.unit())).toList();
      faults.addAll(RankFaults.identical(IdenticalRanks.among(samples)));
    }
    Optional<Location> healthy = healthy();
    if (healthy.isPresent()) {
      TwinComparison twin = TwinComparison.of(read.samples(), samplesOf(healthy.get()));
      faults.addAll(TwinFaults.of(twin, healthy.get()));
      TwinFaults.finding(twin, healthy.get()).ifPresent(findings::add);
      coverage = coverage.orCompared(twin.sameWeights() ? twin.compared() : 0);
    }
    SliceCount slices = SliceCount.NONE;
    Optional<RankSlices> cut = cutFromModel(read.samples());
    if (cut.isPresent()) {
      faults.addAll(
          RankFaults.misplaced(cut.get().misplaced(), request.sourceModel().orElseThrow()));
      slices = new SliceCount(cut.get().compared(), cut.get().inPlace(), cut.get().nowhere());
    }
    return new WholeRead(faults, findings, coverage, slices, List.of());
  }

  /** Where each rank's tensors lie in the original model, if they are cut from it. */
  private Optional<RankSlices> cutFromModel(List<TensorSample> samples) throws JobException {
    if (request.sourceModel().isEmpty()) {
      return Optional.empty();
    }
    Location model = request.sourceModel().get();
    return switch (checkpoint.layout().originalModel()) {
      case ALIKE -> Optional.empty(); // it was compared as a whole
      case CUT ->
          Optional.of(SourceSliceStage.run(job, model, samples, digests.algorithm(), dtypes));
      case NOT_READ -> {
        job.progress()
            .message("A presharded dump is held to its own keys; the original model was not read");
        yield Optional.empty();
      }
    };
  }

  /** Of a checkpoint in its layout, an original model is one of the same shape. */
  private Optional<Location> healthy() {
    Optional<Location> healthy = request.expectation().healthy();
    return healthy.isEmpty() && checkpoint.layout().originalModel() == OriginalModel.ALIKE
        ? request.sourceModel()
        : healthy;
  }

  /** A presharded dump says itself what its bytes are; of others a repair may remember it. */
  private WholeRead read(CheckpointAccess at, Checkpoint of, DigestStage digested)
      throws JobException {
    Optional<HashKind> keys = of.layout().contentKeys();
    return keys.isPresent() ? ContentKeyStage.run(job, at, of, keys.get(), dtypes) : digested.run();
  }

  private List<TensorSample> samplesOf(Location healthy) throws JobException {
    CheckpointAccess there = new CheckpointAccess(healthy, job.hadoop());
    Checkpoint twin = Discoveries.discover(job, there, request.plan().discovery());
    return twin.layout().contentKeys().isPresent()
        ? ContentKeyStage.samples(twin)
        : digests.alike(there, twin).run().samples();
  }
}
