package org.shardmend.job;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.ComparisonResult;
import org.shardmend.plan.NamedTensor;
import org.shardmend.storage.ByteComparer;
import org.shardmend.storage.ByteRange;
import org.shardmend.storage.Pace;
import org.shardmend.storage.RangeReader;
import org.shardmend.storage.RateLimiter;
import org.shardmend.storage.Store;

/**
 * Compares the bytes of tensors, of one checkpoint or of two; keeps their shards open meanwhile.
 */
final class TensorComparer implements Closeable {
  private final CheckpointAccess left;
  private final CheckpointAccess right;
  private final Store leftStore;
  private final Store rightStore;
  private final ByteComparer bytes;
  private final Map<String, RangeReader> leftReaders = new HashMap<>();
  private final Map<String, RangeReader> rightReaders = new HashMap<>();

  private TensorComparer(CheckpointAccess left, CheckpointAccess right, LongConsumer meter)
      throws IOException {
    this.left = left;
    this.right = right;
    this.leftStore = left.open();
    this.rightStore = right.open();
    this.bytes = new ByteComparer(new Pace(RateLimiter.none(), meter));
  }

  /** Compares tensors of one checkpoint. */
  static TensorComparer within(CheckpointAccess checkpoint, LongConsumer meter) throws IOException {
    return between(checkpoint, checkpoint, meter);
  }

  /** Compares tensors of one checkpoint with those of another. */
  static TensorComparer between(CheckpointAccess left, CheckpointAccess right, LongConsumer meter)
      throws IOException {
    return new TensorComparer(left, right, meter);
  }

  /** Reads what a comparison asks for; the first tensor is compared with each of the others. */
  ComparisonResult compare(Comparison comparison) throws IOException {
    NamedTensor first = comparison.tensors().get(0);
    for (NamedTensor other : comparison.tensors().subList(1, comparison.tensors().size())) {
      OptionalLong difference = firstDifference(first, other);
      if (difference.isPresent()) {
        return ComparisonResult.different(comparison, other.name(), difference.getAsLong());
      }
    }
    return ComparisonResult.equal(comparison);
  }

  /**
   * The first byte, relative to the tensors' starts, in which two tensors of one size differ.
   *
   * @param one of the left checkpoint
   * @param other of the right one
   */
  OptionalLong firstDifference(NamedTensor one, NamedTensor other) throws IOException {
    RangeReader oneReader = reader(leftReaders, leftStore, left, one.shard());
    RangeReader otherReader = reader(rightReaders, rightStore, right, other.shard());
    return bytes
        .firstDifferences(
            new ByteRange(oneReader, one.begin()),
            List.of(new ByteRange(otherReader, other.begin())),
            one.bytes())
        .get(0);
  }

  private static RangeReader reader(
      Map<String, RangeReader> open, Store store, CheckpointAccess access, String shard)
      throws IOException {
    RangeReader reader = open.get(shard);
    if (reader == null) {
      reader = store.openForRead(access.path(shard));
      open.put(shard, reader);
    }
    return reader;
  }

  @Override
  public void close() throws IOException {
    for (Map<String, RangeReader> readers : List.of(leftReaders, rightReaders)) {
      for (RangeReader reader : readers.values()) {
        reader.close();
      }
    }
    leftStore.close();
    rightStore.close();
  }
}
