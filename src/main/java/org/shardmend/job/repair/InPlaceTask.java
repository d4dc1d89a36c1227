package org.shardmend.job.repair;

import java.io.IOException;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.audit.AuditFileWriter;
import org.shardmend.audit.AuditTable;
import org.shardmend.audit.ShardRow;
import org.shardmend.audit.TensorRow;
import org.shardmend.job.audit.AuditContext;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.spark.Attempts;
import org.shardmend.job.spark.Executors;
import org.shardmend.job.spark.ShardTaskException;
import org.shardmend.plan.Action;
import org.shardmend.plan.Decision;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.plan.StrategyChoice;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.ShardContent;
import org.shardmend.storage.bytes.ShardDigests;
import org.shardmend.storage.bytes.TensorDigester;
import org.shardmend.storage.journal.EntryPreparation;
import org.shardmend.storage.journal.StagedEntry;
import org.shardmend.storage.publish.ManifestShard;

/**
 * What a task does for a repair in place: for each of a few shards it stages the old and the new
 * header in the journal, or a new file where the header does not fit, and accounts for every
 * tensor. The shards themselves are only read.
 */
final class InPlaceTask {
  private final Settings settings;
  private final Store store;
  private final LongConsumer meter;
  private final long attempt = Attempts.next();
  private final ArrayList<StagedEntry> entries = new ArrayList<>();
  private final ArrayList<ManifestShard> manifest = new ArrayList<>();
  private final ArrayList<ShardRow> rows = new ArrayList<>();

  private InPlaceTask(Settings settings, Store store, LongConsumer meter) {
    this.settings = settings;
    this.store = store;
    this.meter = meter;
  }

  /**
   * What all tasks share.
   *
   * @param rewrite source, digest, nonce and the like
   * @param audit where rows go
   * @param choice how each shard is rewritten
   * @param reading how much is read of the shards
   */
  record Settings(
      RewriteSettings rewrite, AuditContext audit, StrategyChoice choice, Reading reading)
      implements Serializable {}

  /** How much is read of the shards, and so what is known of their bytes afterwards. */
  enum Reading {
    /** Headers, and the data of shards that are built anew. */
    WHAT_MOVES,
    /** Every tensor, so that a digest of each is remembered. */
    EVERY_TENSOR
  }

  /** A few shards. */
  record Group(int number, ArrayList<NumberedShard> shards) implements Serializable {}

  /**
   * What a task did.
   *
   * @param entries what it staged
   * @param manifest the shards as they are going to be
   * @param tensorRows the file with the rows of all tensors of the group
   * @param shardRows a row a shard
   */
  record Receipt(
      ArrayList<StagedEntry> entries,
      ArrayList<ManifestShard> manifest,
      String tensorRows,
      ArrayList<ShardRow> shardRows)
      implements Serializable {}

  static Receipt run(Settings settings, Group group, LongConsumer meter) throws IOException {
    try (Store store = settings.rewrite().source().open();
        Store auditStore = settings.audit().staging().open()) {
      settings.rewrite().nonce().check(store);
      return new InPlaceTask(settings, store, meter).stage(group, auditStore);
    }
  }

  private Receipt stage(Group group, Store auditStore) throws IOException {
    String path = settings.audit().tensorsPath(group.number(), attempt);
    try (AuditFileWriter<TensorRow> tensors =
        AuditFileWriter.open(AuditTable.TENSORS, auditStore.create(path))) {
      for (NumberedShard shard : group.shards()) {
        stage(shard, tensors);
      }
      tensors.complete();
    }
    return new Receipt(entries, manifest, path, rows);
  }

  private void stage(NumberedShard numbered, AuditFileWriter<TensorRow> tensors)
      throws IOException {
    long began = System.nanoTime();
    ShardPlan shard = numbered.plan();
    String path = settings.rewrite().source().path(shard.name());
    try (RangeReader reader = store.openForRead(path)) {
      SourceHeader before = SourceHeader.read(reader, shard, settings.rewrite().dtypes());
      meter.accept(before.bytes().length);
      HeaderEdit edit = shard.edit(before.header(), settings.rewrite().dtypes());
      Staged staged = stage(numbered, reader, before, edit);
      manifest.add(
          new ManifestShard(
              shard.name(), staged.bytes(), staged.headerDigest(), staged.dataDigest()));
      for (TensorReceipt receipt :
          TensorReceipts.of(numbered, before.header(), edit.target(), staged.digests())) {
        tensors.write(TensorReceipts.row(settings.audit(), shard, receipt, ""));
      }
      rows.add(row(shard, staged, Duration.ofNanos(System.nanoTime() - began)));
    } catch (SafetensorsException e) {
      throw new ShardTaskException("malformed", shard.name(), e.getMessage(), e);
    }
  }

  /** What became of one shard. */
  private record Staged(
      Strategy strategy,
      long bytes,
      long headerBytes,
      String headerDigest,
      String dataDigest,
      Map<String, String> digests,
      long bytesRead,
      long bytesWritten) {}

  private Staged stage(
      NumberedShard numbered, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    return switch (settings.choice().of(numbered.plan()).orElseThrow()) {
      case NONE -> keep(numbered.plan(), reader, before);
      case PATCH -> patch(numbered, reader, before, edit);
      case COPY -> replace(numbered, reader, before, edit);
      case CLONE, LINK ->
          throw new IllegalStateException("A clone or a link is no repair in place");
    };
  }

  private Staged keep(ShardPlan shard, RangeReader reader, SourceHeader before) throws IOException {
    Digested digested = digest(reader, before.header(), before.bytes());
    return new Staged(
        Strategy.NONE,
        reader.size(),
        before.bytes().length,
        shard.headerDigest(),
        digested.shard(),
        digested.tensors(),
        before.bytes().length + digested.bytesRead(),
        0);
  }

  private EntryPreparation journal() {
    return EntryPreparation.of(store, settings.rewrite().source().location().path());
  }

  /** The plan has found that the new header fits, and the header is the same as then. */
  private Staged patch(
      NumberedShard numbered, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    byte[] patch =
        HeaderWriter.encodeInto(edit.target(), before.header().jsonBytes()).orElseThrow();
    Digested digested = digest(reader, edit.target(), patch);
    entries.add(
        journal().patch(numbered.number(), attempt, numbered.plan().name(), before.bytes(), patch));
    return new Staged(
        Strategy.PATCH,
        reader.size(),
        patch.length,
        SourceHeader.digest(patch),
        digested.shard(),
        digested.tensors(),
        before.bytes().length + digested.bytesRead(),
        patch.length);
  }

  private Staged replace(
      NumberedShard numbered, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    ShardPlan shard = numbered.plan();
    EntryPreparation journal = journal();
    String path = journal.replacementPath(numbered.number(), attempt);
    byte[] header = HeaderWriter.encode(edit.target());
    long bytes = header.length + edit.target().dataBytes();
    DigestAlgorithm algorithm =
        DigestAlgorithm.ofLabel(settings.rewrite().digest()).orElse(DigestAlgorithm.XXH3_128);
    ShardCopy copy;
    try (ShardWriter writer = store.create(path, bytes)) {
      // The journal proves what it exchanges, also where no digests were asked for.
      RewriteSettings proving = settings.rewrite().withDigest(algorithm.label());
      copy = ShardCopy.write(proving, reader, before, edit, header, writer, meter);
    }
    meter.accept(before.bytes().length);
    Map<String, String> kept = keptDigests(shard, copy);
    Map<String, String> dropped = droppedDigests(algorithm, reader, before.header(), kept);
    entries.add(
        journal.replacement(
            numbered.number(),
            attempt,
            shard.name(),
            proof(algorithm, before.bytes(), digests(before.header(), kept, dropped)),
            proof(algorithm, header, digests(edit.target(), copy.digests(), Map.of()))));
    if (settings.rewrite().digest().equals(RepairRequest.NO_DIGEST)) {
      copy = copy.withoutDigests();
    }
    return new Staged(
        Strategy.COPY,
        copy.bytes(),
        copy.headerBytes(),
        copy.headerDigest(),
        copy.dataDigest(),
        copy.digests(),
        copy.bytesRead(),
        copy.bytes());
  }

  /** The digests of the tensors that were copied, by the names that they had. */
  private static Map<String, String> keptDigests(ShardPlan shard, ShardCopy copy) {
    Map<String, String> kept = new HashMap<>(copy.digests());
    for (Decision change : shard.headerChanges()) {
      if (change.action() == Action.RENAME) {
        kept.put(change.tensor(), copy.digests().get(change.target()));
      }
    }
    for (Decision change : shard.headerChanges()) {
      if (change.action() == Action.DROP) {
        kept.remove(change.tensor());
      }
    }
    return kept;
  }

  /** What is not copied is read here, so that the original is proven as a whole. */
  private Map<String, String> droppedDigests(
      DigestAlgorithm algorithm, RangeReader reader, Header before, Map<String, String> kept)
      throws IOException {
    List<TensorEntry> dropped =
        before.inOffsetOrder().stream().filter(t -> !kept.containsKey(t.name())).toList();
    List<String> digests =
        new TensorDigester(algorithm, settings.rewrite().pace(meter))
            .digest(reader, before.dataBegin(), dropped);
    Map<String, String> byName = new HashMap<>();
    for (int i = 0; i < dropped.size(); i++) {
      byName.put(dropped.get(i).name(), digests.get(i));
    }
    return byName;
  }

  private static List<String> digests(
      Header header, Map<String, String> kept, Map<String, String> dropped) {
    return header.inOffsetOrder().stream()
        .map(tensor -> kept.getOrDefault(tensor.name(), dropped.get(tensor.name())))
        .toList();
  }

  private static EntryPreparation.Proof proof(
      DigestAlgorithm algorithm, byte[] header, List<String> tensors) {
    ShardDigests digests = new ShardDigests(algorithm, algorithm.digest(header), tensors);
    return new EntryPreparation.Proof(header.length, ShardContent.of(digests));
  }

  /** What is remembered of the bytes of a shard that stay where they are. */
  private record Digested(String shard, Map<String, String> tensors, long bytesRead) {
    static final Digested NOTHING = new Digested(ManifestShard.NOT_READ, Map.of(), 0);
  }

  /**
   * Reads the tensors of a shard that keeps its length, if that is asked for.
   *
   * @param header as it is going to be; no tensor lies elsewhere than now
   * @param bytes the 8 + N of it
   */
  private Digested digest(RangeReader reader, Header header, byte[] bytes) throws IOException {
    Optional<DigestAlgorithm> algorithm = DigestAlgorithm.ofLabel(settings.rewrite().digest());
    if (settings.reading() == Reading.WHAT_MOVES || algorithm.isEmpty()) {
      return Digested.NOTHING;
    }
    List<TensorEntry> tensors = header.inOffsetOrder();
    List<String> digests =
        new TensorDigester(algorithm.get(), settings.rewrite().pace(meter))
            .digest(reader, bytes.length, tensors);
    Map<String, String> byName = new HashMap<>();
    for (int i = 0; i < tensors.size(); i++) {
      byName.put(tensors.get(i).name(), digests.get(i));
    }
    String ofHeader = algorithm.get().digest(bytes);
    return new Digested(
        new ShardDigests(algorithm.get(), ofHeader, digests).shard(), byName, header.dataBytes());
  }

  private ShardRow row(ShardPlan shard, Staged staged, Duration time) {
    return new ShardRow(
        settings.audit().run(),
        shard.name(),
        shard.name(),
        shard.unit(),
        shard.shard().part(),
        staged.strategy(),
        new ShardRow.Bytes(
            shard.shard().bytes(),
            staged.bytes(),
            staged.headerBytes(),
            staged.bytesRead(),
            staged.bytesWritten()),
        new ShardRow.Counts(
            shard.counts().tensors(), shard.counts().rename(), shard.counts().drop()),
        staged.dataDigest(),
        time,
        Executors.name());
  }
}
