package org.shardmend.job.repair;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.job.files.HeaderGate;
import org.shardmend.job.spark.PreferredLocations;
import org.shardmend.job.spark.ShardTaskException;
import org.shardmend.plan.ShardPlan;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.TensorDigester;
import org.shardmend.storage.protocol.SmallFiles;
import org.shardmend.storage.publish.ShardReceipt;
import org.shardmend.storage.publish.Staging;

/**
 * What a task does for {@code --verify full}: digests every tensor of a written shard as storage
 * holds it, and holds the digests to those of the source. Where the writing did not read the source
 * (a clone, a link), the source is digested here.
 */
final class ReadBackTask {
  private static final int MAX_BYTES = 1 << 30;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final RewriteTask.Settings settings;
  private final Task task;
  private final TensorDigester digester;
  private final LongConsumer meter;

  private ReadBackTask(RewriteTask.Settings settings, Task task, LongConsumer meter) {
    this.settings = settings;
    this.task = task;
    this.meter = meter;
    DigestAlgorithm algorithm =
        DigestAlgorithm.ofLabel(settings.rewrite().digest()).orElse(DigestAlgorithm.XXH3_128);
    this.digester = new TensorDigester(algorithm, settings.rewrite().pace(meter));
  }

  /** One shard: its plan, what was written, and the hosts that hold that. */
  record Task(ShardPlan plan, ShardReceipt receipt, List<String> hosts)
      implements Serializable, PreferredLocations {}

  static ArrayList<Finding> run(RewriteTask.Settings settings, Task task, LongConsumer meter)
      throws IOException {
    try (Store target = settings.target().open();
        Store source = settings.rewrite().source().open()) {
      return new ReadBackTask(settings, task, meter).compare(source, target);
    } catch (SafetensorsException e) {
      throw new ShardTaskException("malformed", task.plan().name(), e.getMessage(), e);
    }
  }

  private ArrayList<Finding> compare(Store source, Store target)
      throws IOException, SafetensorsException {
    Staging staging = settings.staging(target);
    ShardReceipt receipt = task.receipt();
    HeaderGate.enter(Math.max(task.plan().headerBytes(), receipt.headerBytes()));
    List<TensorReceipt> tensors =
        ReceiptFile.read(target, ReceiptFile.path(staging, receipt.number(), receipt.attempt()));
    Map<String, String> held =
        digests(target, staging.outPath(receipt.name()), receipt.headerBytes());
    boolean unread = tensors.stream().anyMatch(t -> !t.dropped() && t.digest().isEmpty());
    Map<String, String> read =
        unread
            ? digests(
                source,
                settings.rewrite().source().path(task.plan().name()),
                task.plan().headerBytes())
            : Map.of();
    ArrayList<Finding> problems = new ArrayList<>();
    for (TensorReceipt tensor : tensors) {
      if (!tensor.dropped()) {
        String expected =
            tensor.digest().isEmpty() ? read.get(tensor.sourceKey()) : tensor.digest();
        if (!held.getOrDefault(tensor.targetKey(), "").equals(expected)) {
          problems.add(damaged(tensor));
        }
      }
    }
    String path = path(staging, receipt);
    target.deleteTree(path);
    SmallFiles.create(target, path, JSON.writeValueAsBytes(held));
    return problems;
  }

  private Map<String, String> digests(Store store, String path, long headerBytes)
      throws IOException, SafetensorsException {
    try (RangeReader reader = store.openForRead(path)) {
      byte[] bytes = new byte[Math.toIntExact(headerBytes)];
      reader.readFully(0, ByteBuffer.wrap(bytes));
      meter.accept(bytes.length);
      int json = bytes.length - HeaderReader.LENGTH_BYTES;
      Header header =
          HeaderReader.parse(
              bytes, HeaderReader.LENGTH_BYTES, json, reader.size(), settings.rewrite().dtypes());
      List<TensorEntry> tensors = header.inOffsetOrder();
      List<String> digests = digester.digest(reader, headerBytes, tensors);
      Map<String, String> byName = new HashMap<>();
      for (int i = 0; i < tensors.size(); i++) {
        byName.put(tensors.get(i).name(), digests.get(i));
      }
      return byName;
    }
  }

  private Finding damaged(TensorReceipt tensor) {
    return new Finding(
        "bytes-differ",
        Severity.ERROR,
        task.receipt().name(),
        "%s holds other bytes of '%s' than were written (%d bytes from byte %d of its data)"
            .formatted(
                task.receipt().name(), tensor.target(), tensor.bytes(), tensor.targetBegin()));
  }

  private static String path(Staging staging, ShardReceipt receipt) {
    return String.format(
        Locale.ROOT, "%s/receipts/%d-%d.held", staging.path(), receipt.number(), receipt.attempt());
  }

  /** The digests that a task has read back, by the tensors' names in the target. */
  static Map<String, String> digests(Store store, Staging staging, ShardReceipt receipt)
      throws IOException {
    return JSON.readValue(
        SmallFiles.read(store, path(staging, receipt), MAX_BYTES),
        new TypeReference<Map<String, String>>() {});
  }
}
