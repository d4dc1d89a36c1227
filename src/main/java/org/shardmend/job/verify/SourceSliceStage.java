package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.Discoveries;
import org.shardmend.job.files.UnitHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.NamedTensor;
import org.shardmend.plan.alias.RankSlices;
import org.shardmend.plan.alias.TensorSample;
import org.shardmend.plan.contract.NamedUnit;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.Location;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.bytes.RateLimiter;
import org.shardmend.storage.bytes.TensorDigester;

/**
 * Holds the ranks' tensors to the slices of the original model's tensors that they were cut from: a
 * few of each file, a task a tensor of the model, whose bytes are read once for all ranks.
 */
final class SourceSliceStage {
  private static final int MOST_OF_A_FILE = 4;

  private SourceSliceStage() {}

  /** What the model's headers say. */
  private record Headers(ArrayList<NamedTensor> tensors, ArrayList<Finding> problems)
      implements Serializable {}

  private record Digests(ArrayList<String> ofParts) implements Serializable {}

  /**
   * Compares.
   *
   * @param model the model's directory
   * @param samples of the checkpoint
   * @param algorithm of their digests
   * @throws JobException USAGE when there is no model, REFUSED when it is malformed, FAILED when it
   *     can't be read
   */
  static RankSlices run(
      SparkJob job,
      Location model,
      List<TensorSample> samples,
      DigestAlgorithm algorithm,
      UnknownDtypes dtypes)
      throws JobException {
    CheckpointAccess access = new CheckpointAccess(model, job.hadoop());
    List<RankSlices.Cut> cuts =
        RankSlices.choose(samples, tensors(job, access, dtypes), MOST_OF_A_FILE);
    if (cuts.isEmpty()) {
      job.progress()
          .message(
              "No tensor of the ranks is a plain slice of one of the original model's, by type and"
                  + " shape: nothing was compared with it");
    }
    List<List<String>> slices = new ArrayList<>();
    job.run(
            "Compare ranks with slices of the original model",
            cuts.stream().mapToLong(cut -> cut.whole().bytes()).sum(),
            cuts,
            (cut, meter) -> digests(access, cut, algorithm, meter))
        .forEach(digests -> slices.add(digests.ofParts()));
    return RankSlices.judge(cuts, slices);
  }

  private static List<NamedTensor> tensors(
      SparkJob job, CheckpointAccess access, UnknownDtypes dtypes) throws JobException {
    Checkpoint model =
        Discoveries.discover(
            job, access, DiscoveryOptions.defaults().withLayout(Layout.HUGGINGFACE));
    List<NamedTensor> tensors = new ArrayList<>();
    for (Headers headers :
        job.run(
            "Read the headers of the original model",
            0,
            NamedUnit.of(model),
            (unit, meter) -> headers(access, unit, dtypes, meter))) {
      if (!headers.problems().isEmpty()) {
        throw JobException.refused(access.location(), headers.problems());
      }
      tensors.addAll(headers.tensors());
    }
    return tensors;
  }

  private static Headers headers(
      CheckpointAccess access, NamedUnit unit, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    UnitHeaders headers = UnitHeaders.read(access, unit, dtypes, meter);
    return new Headers(new ArrayList<>(headers.tensors()), new ArrayList<>(headers.problems()));
  }

  private static Digests digests(
      CheckpointAccess access, RankSlices.Cut cut, DigestAlgorithm algorithm, LongConsumer meter)
      throws IOException {
    NamedTensor whole = cut.whole();
    try (Store store = access.open();
        RangeReader reader = store.openForRead(access.path(whole.shard()))) {
      TensorDigester digester = new TensorDigester(algorithm, new Pace(RateLimiter.none(), meter));
      return new Digests(
          new ArrayList<>(
              digester.digestParts(
                  reader,
                  whole.begin(),
                  whole.end(),
                  cut.slicing().parts(),
                  cut.slicing().runBytes())));
    }
  }
}
