package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.LoadUnit;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.finding.ZeroFilled;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.ShardHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.alias.TensorSample;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.bytes.RateLimiter;
import org.shardmend.storage.bytes.ShardDigests;
import org.shardmend.storage.bytes.TensorDigester;
import org.shardmend.storage.publish.Manifest;
import org.shardmend.storage.publish.ManifestShard;

/**
 * What {@code verify --full} reads: every byte of every shard, held to the digests that {@code
 * shardmend.json} remembers; where a shard's differs, the audit names the tensor.
 */
final class DigestStage {
  private static final int LEAST_BYTES = 16;

  private final SparkJob job;
  private final CheckpointAccess access;
  private final Checkpoint checkpoint;
  private final Optional<Manifest> manifest;
  private final DigestAlgorithm algorithm;
  private final UnknownDtypes dtypes;

  private DigestStage(
      SparkJob job,
      CheckpointAccess access,
      Checkpoint checkpoint,
      Optional<Manifest> manifest,
      DigestAlgorithm algorithm,
      UnknownDtypes dtypes) {
    this.job = job;
    this.access = access;
    this.checkpoint = checkpoint;
    this.manifest = manifest;
    this.algorithm = algorithm;
    this.dtypes = dtypes;
  }

  /**
   * A check of what a repair remembers.
   *
   * @param manifest what the last repair has left, if one has
   */
  static DigestStage of(
      SparkJob job,
      CheckpointAccess access,
      Checkpoint checkpoint,
      Optional<Manifest> manifest,
      UnknownDtypes dtypes) {
    return new DigestStage(job, access, checkpoint, manifest, algorithm(manifest), dtypes);
  }

  /** The same read of a checkpoint that another one is compared with, for its samples alone. */
  DigestStage alike(CheckpointAccess healthy, Checkpoint checkpointThere) {
    return new DigestStage(job, healthy, checkpointThere, Optional.empty(), algorithm, dtypes);
  }

  /** The algorithm of the samples' digests. */
  DigestAlgorithm algorithm() {
    return algorithm;
  }

  private static DigestAlgorithm algorithm(Optional<Manifest> manifest) {
    return manifest
        .flatMap(m -> DigestAlgorithm.ofLabel(m.digestAlgorithm()))
        .orElse(DigestAlgorithm.XXH3_128);
  }

  private record Task(
      UnitId unit,
      Shard shard,
      DigestAlgorithm algorithm,
      String headerDigest,
      String remembered,
      int mostSamples)
      implements Serializable {

    /** Whether the remembered digest is of a file with this header. */
    boolean remembers(ScannedShard scanned) {
      return !remembered.equals(ManifestShard.NOT_READ)
          && scanned.headerDigest().equals(headerDigest);
    }
  }

  /** A shard whose digest is not the remembered one: its tensors' digests by name. */
  private record Suspect(String shard, HashMap<String, String> tensors) implements Serializable {}

  /**
   * What a task found in one shard.
   *
   * @param tensors how many it holds
   * @param compared how many of them the remembered digest is of
   * @param samples what can be compared with other ranks and checkpoints
   */
  private record Receipt(
      ArrayList<Suspect> suspects,
      ArrayList<Finding> findings,
      long tensors,
      long compared,
      ArrayList<TensorSample> samples)
      implements Serializable {}

  WholeRead run() throws JobException {
    CheckpointAccess at = access;
    UnknownDtypes allowed = dtypes;
    List<Suspect> suspects = new ArrayList<>();
    List<Finding> findings = new ArrayList<>();
    long tensors = 0;
    long compared = 0;
    List<TensorSample> samples = new ArrayList<>();
    for (Receipt receipt :
        job.run(
            "Read every byte",
            checkpoint.shardBytes(),
            tasks(),
            (task, meter) -> digest(at, task, allowed, meter))) {
      suspects.addAll(receipt.suspects());
      findings.addAll(receipt.findings());
      tensors += receipt.tensors();
      compared += receipt.compared();
      samples.addAll(receipt.samples());
    }
    List<Finding> faults =
        suspects.isEmpty() || manifest.isEmpty()
            ? List.of()
            : new DamagedTensors(job, access, manifest.get()).faults(namesByShard(suspects));
    return new WholeRead(
        faults, findings, new DigestCoverage(tensors, compared), SliceCount.NONE, samples);
  }

  private static Map<String, Map<String, String>> namesByShard(List<Suspect> suspects) {
    Map<String, Map<String, String>> byShard = new HashMap<>();
    suspects.forEach(suspect -> byShard.put(suspect.shard(), suspect.tensors()));
    return byShard;
  }

  private List<Task> tasks() {
    Map<String, ManifestShard> remembered = new HashMap<>();
    manifest.ifPresent(m -> m.shards().forEach(shard -> remembered.put(shard.name(), shard)));
    int mostSamples = TensorSample.mostOfAShard(checkpoint.shards().size());
    List<Task> tasks = new ArrayList<>();
    for (LoadUnit unit : checkpoint.units()) {
      for (Shard shard : unit.shards()) {
        ManifestShard known = remembered.get(shard.name());
        tasks.add(
            new Task(
                unit.id(),
                shard,
                algorithm,
                known == null ? "" : known.headerDigest(),
                known == null ? ManifestShard.NOT_READ : known.digest(),
                mostSamples));
      }
    }
    tasks.sort(Comparator.comparingLong((Task task) -> task.shard().bytes()).reversed());
    return tasks;
  }

  private static Receipt digest(
      CheckpointAccess access, Task task, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    ArrayList<Suspect> suspects = new ArrayList<>();
    ArrayList<Finding> findings = new ArrayList<>();
    long tensors = 0;
    long compared = 0;
    ArrayList<TensorSample> samples = new ArrayList<>();
    Shard shard = task.shard();
    try (Store store = access.open();
        RangeReader reader = store.openForRead(access.path(shard.name()))) {
      ShardHeaders headers = new ShardHeaders(store, access, List.of(shard), dtypes, meter);
      Optional<ScannedShard> wellFormed = headers.read(task.unit(), shard).shard();
      if (wellFormed.isPresent()) { // The contract's stage has reported any other.
        ScannedShard scanned = wellFormed.get();
        ZeroTensorWatch watch = new ZeroTensorWatch(reader, scanned.header());
        ShardDigests digests =
            new TensorDigester(task.algorithm(), new Pace(RateLimiter.none(), meter))
                .digest(watch, scanned.header());
        ZeroFilled.finding(shard.name(), watch.zeroFilled()).ifPresent(findings::add);
        tensors = scanned.header().tensors().size();
        compared = task.remembers(scanned) ? tensors : 0;
        samples = samples(task, scanned, digests, watch.zeroFilled());
        if (task.remembers(scanned) && !digests.shard().equals(task.remembered())) {
          suspects.add(new Suspect(shard.name(), byName(scanned, digests)));
        }
      }
    }
    return new Receipt(suspects, findings, tensors, compared, samples);
  }

  /**
   * Those of a shard whose names have the lowest hashes, so that the same ones are chosen of ranks
   * and checkpoints that are alike; few bytes are equal by chance.
   */
  private static ArrayList<TensorSample> samples(
      Task task, ScannedShard scanned, ShardDigests digests, List<TensorEntry> zeroFilled) {
    Set<TensorEntry> zeros = new HashSet<>(zeroFilled);
    List<TensorEntry> tensors = scanned.header().inOffsetOrder();
    return IntStream.range(0, tensors.size())
        .filter(i -> tensors.get(i).bytes() >= LEAST_BYTES)
        .boxed()
        .sorted(Comparator.comparingInt(i -> tensors.get(i).name().hashCode()))
        .limit(task.mostSamples())
        .map(
            i ->
                sample(
                    task, tensors.get(i), zeros.contains(tensors.get(i)), digests.tensors().get(i)))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private static TensorSample sample(Task task, TensorEntry tensor, boolean zeros, String digest) {
    return new TensorSample(
        task.unit(),
        task.shard().name(),
        tensor.name(),
        tensor.dtype(),
        tensor.shape(),
        tensor.shape().rank() > 1,
        zeros,
        digest);
  }

  private static HashMap<String, String> byName(ScannedShard scanned, ShardDigests digests) {
    HashMap<String, String> byName = new HashMap<>();
    List<TensorEntry> tensors = scanned.header().inOffsetOrder();
    for (int i = 0; i < tensors.size(); i++) {
      byName.put(tensors.get(i).name(), digests.tensors().get(i));
    }
    return byName;
  }
}
