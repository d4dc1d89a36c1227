package org.shardmend.job.repair;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.shardmend.audit.AuditFileWriter;
import org.shardmend.audit.AuditTable;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.TensorRow;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.Severity;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.job.audit.AuditContext;
import org.shardmend.job.files.HeaderGate;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.spark.Attempts;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.rules.NameOutcome;
import org.shardmend.rules.RuleSet;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderReader;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ReadPattern;
import org.shardmend.storage.Store;
import org.shardmend.storage.publish.ShardReceipt;
import org.shardmend.storage.publish.Staging;

/**
 * What a task does before a result is published: reopens every written shard of some load units and
 * holds it to its length, the format, the plan and the loader's contract; then writes the audit's
 * rows of its tensors.
 */
final class VerifyWrittenTask {
  private final Settings settings;
  private final Store store;
  private final Staging staging;
  private final LongConsumer meter;
  private final ArrayList<Finding> problems = new ArrayList<>();

  private VerifyWrittenTask(Settings settings, Store store, LongConsumer meter) {
    this.settings = settings;
    this.store = store;
    this.meter = meter;
    this.staging = settings.rewrite().staging(store);
  }

  /** What all tasks share. */
  record Settings(
      RewriteTask.Settings rewrite, AuditContext audit, RuleSet rules, UnknownDtypes dtypes)
      implements Serializable {}

  /**
   * A written shard: its plan, its receipt, and the digests read back, by the receipt's attempt.
   */
  record Written(ShardPlan plan, ShardReceipt receipt, boolean readBack) implements Serializable {}

  /** The shards of whole load units. */
  record Group(int number, ArrayList<Written> shards) implements Serializable {}

  /**
   * What a task found.
   *
   * @param problems what is wrong; nothing may be published then
   * @param tensorRows the file with the rows of all tensors of the group
   * @param shardRows a row a shard
   */
  record Receipt(ArrayList<Finding> problems, String tensorRows, ArrayList<ShardRow> shardRows)
      implements Serializable {}

  static Receipt run(Settings settings, Group group, LongConsumer meter) throws IOException {
    try (Store store = settings.rewrite().target().open();
        Store auditStore = settings.audit().staging().open()) {
      return new VerifyWrittenTask(settings, store, meter).verify(group, auditStore);
    }
  }

  private Receipt verify(Group group, Store auditStore) throws IOException {
    String path = settings.audit().tensorsPath(group.number(), Attempts.next());
    ArrayList<ShardRow> rows = new ArrayList<>();
    Map<UnitId, Set<String>> namesByUnit = new HashMap<>();
    try (AuditFileWriter<TensorRow> tensors =
        AuditFileWriter.open(AuditTable.TENSORS, auditStore.create(path))) {
      for (Written shard : group.shards()) {
        verify(shard, namesByUnit, tensors);
        rows.add(row(shard));
      }
      tensors.complete();
    }
    return new Receipt(problems, path, rows);
  }

  private void verify(
      Written shard, Map<UnitId, Set<String>> namesByUnit, AuditFileWriter<TensorRow> tensors)
      throws IOException {
    HeaderGate.enter(shard.receipt().headerBytes());
    List<TensorReceipt> receipts =
        ReceiptFile.read(
            store, ReceiptFile.path(staging, shard.receipt().number(), shard.receipt().attempt()));
    Optional<Header> header = header(shard);
    if (header.isPresent()) {
      requirePlanned(shard, receipts, header.get());
      requireLoadable(shard, receipts, namesByUnit);
    }
    Map<String, String> readBack =
        shard.readBack() ? ReadBackTask.digests(store, staging, shard.receipt()) : Map.of();
    for (TensorReceipt receipt : receipts) {
      String digest = readBack.getOrDefault(receipt.targetKey(), "");
      tensors.write(TensorReceipts.row(settings.audit(), shard.plan(), receipt, digest));
    }
  }

  private Optional<Header> header(Written shard) throws IOException {
    ShardReceipt receipt = shard.receipt();
    try (RangeReader reader = open(staging.outPath(receipt.name()))) {
      if (reader.size() != receipt.bytes()) {
        problem(shard, "has %d bytes instead of %d".formatted(reader.size(), receipt.bytes()));
        return Optional.empty();
      }
      byte[] bytes = new byte[Math.toIntExact(receipt.headerBytes())];
      reader.readFully(0, ByteBuffer.wrap(bytes));
      meter.accept(bytes.length);
      if (!SourceHeader.digest(bytes).equals(receipt.headerDigest())) {
        problem(shard, "holds another header than the one that was written");
        return Optional.empty();
      }
      return Optional.of(
          HeaderReader.parse(
              bytes,
              HeaderReader.LENGTH_BYTES,
              bytes.length - HeaderReader.LENGTH_BYTES,
              reader.size(),
              settings.dtypes()));
    } catch (SafetensorsException e) {
      problem(shard, e.getMessage());
      return Optional.empty();
    }
  }

  private RangeReader open(String path) throws IOException {
    FileStatus file =
        store.stat(path).orElseThrow(() -> new NoSuchFileException(store.locate(path).toString()));
    return store.openForRead(file, ReadPattern.RANDOM);
  }

  /** A file that was to stay as it is has the planned header's digest; others are looked into. */
  private void requirePlanned(Written shard, List<TensorReceipt> receipts, Header header) {
    if (shard.plan().unchanged()) {
      if (!shard.receipt().headerDigest().equals(shard.plan().headerDigest())) {
        problem(shard, "has another header than the source, though nothing was to change in it");
      }
      return;
    }
    String format = shard.plan().format();
    if (!format.isEmpty() && !ShardPlan.hasFormat(header, format)) {
      problem(shard, "should say the format '%s' in its __metadata__".formatted(format));
    }
    int expected = 0;
    for (TensorReceipt receipt : receipts) {
      if (!receipt.dropped()) {
        expected++;
        Optional<TensorEntry> found = header.find(receipt.target());
        if (found.isEmpty() || !isPlanned(receipt, found.get())) {
          problem(
              shard,
              "should hold '%s' as %s %s at byte %d of its data, and holds %s"
                  .formatted(
                      receipt.target(),
                      receipt.dtype(),
                      receipt.shape(),
                      receipt.targetBegin(),
                      found.map(Object::toString).orElse("no such tensor")));
        }
      }
    }
    if (header.tensors().size() != expected) {
      problem(shard, "holds %d tensors instead of %d".formatted(header.tensors().size(), expected));
    }
  }

  private static boolean isPlanned(TensorReceipt receipt, TensorEntry entry) {
    return entry.dtype().equals(receipt.dtype())
        && entry.shape().equals(receipt.shape())
        && entry.begin() == receipt.targetBegin()
        && entry.bytes() == receipt.bytes();
  }

  private void requireLoadable(
      Written shard, List<TensorReceipt> receipts, Map<UnitId, Set<String>> namesByUnit) {
    for (TensorReceipt receipt : receipts) {
      if (receipt.dropped()) {
        continue;
      }
      String name = receipt.target();
      UnitId unit = receipt.unit();
      if (!namesByUnit.computeIfAbsent(unit, u -> new HashSet<>()).add(name)) {
        problem(shard, "holds '%s', which %s reads elsewhere, too".formatted(name, unit.label()));
      }
      if (!(settings.rules().outcome(name) instanceof NameOutcome.Unchanged)) {
        problem(shard, "still holds '%s', which a rule would change".formatted(name));
      }
    }
  }

  private void problem(Written shard, String what) {
    problems.add(
        new Finding(
            "verify-failed",
            Severity.ERROR,
            shard.receipt().name(),
            "%s, as written, %s".formatted(shard.receipt().name(), what)));
  }

  private ShardRow row(Written shard) {
    ShardPlan plan = shard.plan();
    ShardReceipt receipt = shard.receipt();
    RewriteDetails details = RewriteDetails.parse(receipt.details());
    return new ShardRow(
        settings.audit().run(),
        plan.name(),
        receipt.name(),
        plan.unit(),
        plan.shard().part(),
        Strategy.valueOf(receipt.strategy()),
        new ShardRow.Bytes(
            plan.shard().bytes(),
            receipt.bytes(),
            receipt.headerBytes(),
            receipt.bytesRead(),
            receipt.bytesWritten()),
        new ShardRow.Counts(plan.counts().tensors(), plan.counts().rename(), plan.counts().drop()),
        receipt.digest(),
        details.time(),
        details.executor());
  }
}
