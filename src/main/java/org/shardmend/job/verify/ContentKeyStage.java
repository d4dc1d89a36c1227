package org.shardmend.job.verify;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.ScannedShard;
import org.shardmend.checkpoint.Shard;
import org.shardmend.checkpoint.TorchDtype;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.finding.ZeroFilled;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.KeyHash;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.ShardHeaders;
import org.shardmend.job.spark.JobException;
import org.shardmend.job.spark.SparkJob;
import org.shardmend.plan.alias.TensorSample;
import org.shardmend.safetensors.Shape;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;

/**
 * What {@code verify --full} reads of a presharded dump: every byte of every file once, because
 * each tensor's key is the hash of its content.
 */
final class ContentKeyStage {
  private static final int BUFFER_BYTES = 1 << 20;

  private ContentKeyStage() {}

  private record Task(Shard shard, HashKind hash) implements Serializable {}

  /**
   * What a task found in one file.
   *
   * @param tensors how many it holds
   * @param unchecked how many of them are of a type whose PyTorch name is not known
   */
  private record Receipt(
      ArrayList<Finding> faults, ArrayList<TensorEntry> zeroFilled, long tensors, long unchecked)
      implements Serializable {}

  /**
   * A fault for each tensor that is not what its key says, and a finding for each file with tensors
   * that hold nothing.
   *
   * @param hash the dump's
   */
  static WholeRead run(
      SparkJob job,
      CheckpointAccess access,
      Checkpoint checkpoint,
      HashKind hash,
      UnknownDtypes dtypes)
      throws JobException {
    List<Task> tasks =
        checkpoint.shards().stream()
            .sorted(Comparator.comparingLong(Shard::bytes).reversed())
            .map(shard -> new Task(shard, hash))
            .toList();
    List<Receipt> receipts =
        job.run(
            "Recompute every tensor's key",
            checkpoint.shardBytes(),
            tasks,
            (task, meter) -> check(access, task, dtypes, meter));
    long tensors = receipts.stream().mapToLong(Receipt::tensors).sum();
    long unchecked = receipts.stream().mapToLong(Receipt::unchecked).sum();
    Map<String, Map<String, String>> names = names(checkpoint);
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      String shard = tasks.get(i).shard().name();
      Map<String, String> ofShard = names.getOrDefault(shard, Map.of());
      List<TensorEntry> zeroFilled =
          receipts.get(i).zeroFilled().stream()
              .map(entry -> entry.withName(ofShard.getOrDefault(entry.name(), entry.name())))
              .toList();
      ZeroFilled.finding(shard, zeroFilled).ifPresent(findings::add);
    }
    return new WholeRead(
        receipts.stream().flatMap(receipt -> receipt.faults().stream()).toList(),
        findings,
        new DigestCoverage(tensors, tensors - unchecked),
        SliceCount.NONE,
        samples(checkpoint));
  }

  /** What every rank reads; a key is the digest of type, shape and bytes. */
  static List<TensorSample> samples(Checkpoint checkpoint) {
    List<TensorSample> samples = new ArrayList<>();
    checkpoint
        .layout()
        .reads()
        .forEach(
            (shard, reads) ->
                reads.forEach(
                    reading ->
                        samples.add(
                            new TensorSample(
                                reading.unit(),
                                shard,
                                reading.read().name(),
                                "",
                                Shape.of(),
                                true,
                                false,
                                reading.read().storedKey()))));
    return samples;
  }

  /** Of each file's keys, the first name that a rank has for it. */
  private static Map<String, Map<String, String>> names(Checkpoint checkpoint) {
    Map<String, Map<String, String>> names = new HashMap<>();
    checkpoint
        .layout()
        .reads()
        .forEach(
            (shard, reads) ->
                reads.forEach(
                    read ->
                        names
                            .computeIfAbsent(shard, s -> new HashMap<>())
                            .putIfAbsent(read.read().storedKey(), read.read().name())));
    return names;
  }

  private static Receipt check(
      CheckpointAccess access, Task task, UnknownDtypes dtypes, LongConsumer meter)
      throws IOException {
    Shard shard = task.shard();
    try (Store store = access.open();
        RangeReader reader = store.openForRead(access.path(shard.name()))) {
      ShardHeaders headers = new ShardHeaders(store, access, List.of(shard), dtypes, meter);
      Optional<ScannedShard> wellFormed = headers.read(UnitId.NONE, shard).shard();
      return wellFormed.isPresent()
          ? check(wellFormed.get(), task.hash(), reader, meter)
          // The contract's stage has reported it already.
          : new Receipt(new ArrayList<>(), new ArrayList<>(), 0, 0);
    }
  }

  private static Receipt check(
      ScannedShard scanned, HashKind kind, RangeReader reader, LongConsumer meter)
      throws IOException {
    ArrayList<Finding> faults = new ArrayList<>();
    long unchecked = 0;
    ZeroTensorWatch watch = new ZeroTensorWatch(reader, scanned.header());
    for (TensorEntry entry : scanned.header().inOffsetOrder()) {
      Optional<String> torch = TorchDtype.nameOf(entry.dtype());
      if (torch.isEmpty()) {
        unchecked++;
        continue;
      }
      KeyHash hash = KeyHash.ofTensor(kind, entry.shape(), torch.get());
      read(watch, scanned.header().dataBegin() + entry.begin(), entry.bytes(), hash, meter);
      String held = HexFormat.of().formatHex(hash.digest());
      if (!held.equals(entry.name())) {
        faults.add(damaged(scanned.shard().name(), entry, held));
      }
    }
    return new Receipt(
        faults, new ArrayList<>(watch.zeroFilled()), scanned.header().tensors().size(), unchecked);
  }

  private static void read(
      RangeReader reader, long begin, long bytes, KeyHash hash, LongConsumer meter)
      throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(BUFFER_BYTES, bytes));
    for (long done = 0; done < bytes; done += buffer.limit()) {
      buffer.clear().limit((int) Math.min(buffer.capacity(), bytes - done));
      reader.readFully(begin + done, buffer);
      hash.put(buffer.array(), 0, buffer.limit());
      meter.accept(buffer.limit());
    }
  }

  private static Finding damaged(String shard, TensorEntry entry, String held) {
    return Finding.fault(
        "bytes-differ",
        shard,
        entry.name(),
        "%s: the bytes under the key %s (%d from byte %d of the data) have the hash %s; restore the file"
            .formatted(shard, entry.name(), entry.bytes(), entry.begin(), held));
  }
}
