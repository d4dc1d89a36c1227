package org.shardmend.job.repair;

import java.io.IOException;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.shardmend.checkpoint.Shard;
import org.shardmend.job.files.CheckpointAccess;
import org.shardmend.job.files.SourceHeader;
import org.shardmend.job.spark.Attempts;
import org.shardmend.job.spark.Executors;
import org.shardmend.job.spark.PreferredLocations;
import org.shardmend.job.spark.ShardTaskException;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.Strategy;
import org.shardmend.safetensors.HeaderEdit;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.storage.CloneUnsupportedException;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.PendingUpload;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.ShardWriter;
import org.shardmend.storage.Store;
import org.shardmend.storage.lock.Nonce;
import org.shardmend.storage.publish.ManifestShard;
import org.shardmend.storage.publish.ShardIntake;
import org.shardmend.storage.publish.ShardReceipt;
import org.shardmend.storage.publish.Staging;

/**
 * What a task does for a repair into another directory: brings one shard to its repaired form under
 * a name of its own attempt, durably, and accounts for every tensor in a {@link ReceiptFile} beside
 * it. The source is only read.
 */
public final class RewriteTask {
  private final Settings settings;
  private final NumberedShard shard;
  private final Store source;
  private final Store target;
  private final Staging staging;
  private final ShardIntake intake;
  private final LongConsumer meter;
  private final long attempt = Attempts.next();

  private RewriteTask(
      Settings settings,
      NumberedShard shard,
      Store source,
      Store target,
      ShardIntake intake,
      LongConsumer meter) {
    this.settings = settings;
    this.shard = shard;
    this.source = source;
    this.target = target;
    this.staging = settings.staging(target);
    this.intake = intake;
    this.meter = meter;
  }

  /**
   * What all tasks share.
   *
   * @param rewrite source, digest, nonce and the like
   * @param target what the result is going to be
   * @param arguments what the staging directory's name stands for, with the fingerprint
   * @param fingerprint the plan's
   */
  record Settings(
      RewriteSettings rewrite, CheckpointAccess target, String arguments, String fingerprint)
      implements Serializable {

    /** The same, with the nonce that is known only when the staging directory is there. */
    Settings with(Nonce nonce) {
      RewriteSettings known =
          new RewriteSettings(
              rewrite.source(),
              nonce,
              rewrite.digest(),
              rewrite.dtypes(),
              rewrite.maxBytesPerSecond());
      return new Settings(known, target, arguments, fingerprint);
    }

    Staging staging(Store store) {
      return Staging.of(store, target.location().path(), arguments, fingerprint);
    }
  }

  /**
   * One shard's task.
   *
   * @param shard the shard
   * @param strategy how it is brought to its repaired form
   * @param forced whether another way, when this one can't be had, is an error
   * @param hosts that hold the shard as it was
   */
  public record Task(NumberedShard shard, Strategy strategy, boolean forced, List<String> hosts)
      implements Serializable, PreferredLocations {}

  /**
   * What the driver takes in.
   *
   * @param shard what was written
   * @param pending what the driver does so that it becomes visible
   */
  record Receipt(ShardReceipt shard, PendingUpload pending) implements Serializable {}

  static Receipt run(Settings settings, Task task, LongConsumer meter) throws IOException {
    try (Store source = settings.rewrite().source().open();
        Store target = settings.target().open();
        ShardIntake intake = ShardIntake.of(target, settings.staging(target))) {
      settings.rewrite().nonce().check(target);
      RewriteTask rewrite = new RewriteTask(settings, task.shard(), source, target, intake, meter);
      return rewrite.write(task);
    }
  }

  private Receipt write(Task task) throws IOException {
    long began = System.nanoTime();
    ShardPlan plan = shard.plan();
    String from = settings.rewrite().source().path(plan.name());
    try (RangeReader reader = source.openForRead(from)) {
      SourceHeader before = SourceHeader.read(reader, plan, settings.rewrite().dtypes());
      meter.accept(before.bytes().length);
      HeaderEdit edit = plan.edit(before.header(), settings.rewrite().dtypes());
      Written written = write(task, from, reader, before, edit);
      ReceiptFile.write(
          target,
          ReceiptFile.path(staging, shard.number(), attempt),
          TensorReceipts.of(shard, before.header(), edit.target(), written.digests()));
      return new Receipt(receipt(written, System.nanoTime() - began), written.pending());
    } catch (SafetensorsException e) {
      throw new ShardTaskException("malformed", plan.name(), e.getMessage(), e);
    }
  }

  /** What was written. */
  private record Written(
      Strategy strategy,
      long bytes,
      long headerBytes,
      String headerDigest,
      String dataDigest,
      Map<String, String> digests,
      long bytesRead,
      long bytesWritten,
      PendingUpload pending) {

    static Written of(ShardCopy copy, PendingUpload pending) {
      return new Written(
          Strategy.COPY,
          copy.bytes(),
          copy.headerBytes(),
          copy.headerDigest(),
          copy.dataDigest(),
          copy.digests(),
          copy.bytesRead(),
          copy.bytes(),
          pending);
    }
  }

  private Written write(
      Task task, String from, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    return switch (task.strategy()) {
      case LINK -> link(task, from, reader, before, edit);
      case CLONE -> cloned(task, from, reader, before, edit);
      case COPY -> copy(from, reader, before, edit);
      case PATCH, NONE ->
          throw new IllegalArgumentException("Not for an output: " + task.strategy());
    };
  }

  private Written copy(String from, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    ShardPlan plan = shard.plan();
    byte[] header = plan.unchanged() ? before.bytes() : HeaderWriter.encode(edit.target());
    long bytes = header.length + edit.target().dataBytes();
    try (ShardWriter writer = intake.start(shard.number(), attempt, plan.name(), bytes)) {
      ShardCopy copy =
          ShardCopy.write(settings.rewrite(), reader, before, edit, header, writer, meter);
      reader.requireUnchanged();
      keepMode(from, writer.location().path());
      return Written.of(copy, writer.pending());
    }
  }

  private Written link(
      Task task, String from, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    // The link itself is a change of the source's file, though of none of its bytes.
    reader.requireUnchanged();
    try {
      target.link(source.realPath(from), staging.workPath(shard.number(), attempt));
    } catch (IOException e) {
      if (task.forced()) {
        throw e;
      }
      return copy(from, reader, before, edit);
    }
    return sharing(Strategy.LINK, reader, before, 0);
  }

  private Written cloned(
      Task task, String from, RangeReader reader, SourceHeader before, HeaderEdit edit)
      throws IOException {
    ShardPlan plan = shard.plan();
    String to = staging.workPath(shard.number(), attempt);
    Optional<byte[]> header =
        plan.unchanged()
            ? Optional.of(before.bytes())
            : HeaderWriter.encodeInto(edit.target(), before.header().jsonBytes());
    try {
      target.cloneFile(source.realPath(from), to);
    } catch (CloneUnsupportedException e) {
      if (task.forced()) {
        throw e;
      }
      return copy(from, reader, before, edit);
    }
    reader.requireUnchanged();
    if (plan.unchanged()) {
      keepMode(from, to);
      target.sync(to);
      return sharing(Strategy.CLONE, reader, before, 0);
    }
    byte[] patched =
        header.orElseThrow(() -> new IllegalStateException("Planned to fit: " + plan.name()));
    target.setMode(to, 0600);
    target.writeAt(to, 0, ByteBuffer.wrap(patched));
    keepMode(from, to);
    target.sync(to);
    return new Written(
        Strategy.CLONE,
        reader.size(),
        patched.length,
        SourceHeader.digest(patched),
        ManifestShard.NOT_READ,
        Map.of(),
        patched.length,
        patched.length,
        PendingUpload.NONE);
  }

  private static Written sharing(
      Strategy strategy, RangeReader reader, SourceHeader before, long written) {
    return new Written(
        strategy,
        reader.size(),
        before.bytes().length,
        SourceHeader.digest(before.bytes()),
        ManifestShard.NOT_READ,
        Map.of(),
        before.bytes().length,
        written,
        PendingUpload.NONE);
  }

  /**
   * What a source shard must still have so that what was made of it counts, as text. Of one that
   * was linked, the output has the very bytes, whatever becomes of them.
   */
  static String sourceStamp(Strategy strategy, Shard source) {
    return (strategy == Strategy.LINK ? source.stamp().butForLinks() : source.stamp()).toText();
  }

  private void keepMode(String from, String to) throws IOException {
    Optional<FileStatus> status = source.stat(source.realPath(from));
    if (status.isPresent() && status.get().permissions().isPresent()) {
      target.setMode(to, status.get().permissions().getAsInt());
    }
  }

  private ShardReceipt receipt(Written written, long nanos) {
    return new ShardReceipt(
        shard.number(),
        attempt,
        shard.plan().name(),
        written.bytes(),
        written.headerBytes(),
        written.headerDigest(),
        written.dataDigest(),
        written.strategy().name(),
        written.bytesRead(),
        written.bytesWritten(),
        new RewriteDetails(
                nanos, sourceStamp(written.strategy(), shard.plan().shard()), Executors.name())
            .toText());
  }
}
