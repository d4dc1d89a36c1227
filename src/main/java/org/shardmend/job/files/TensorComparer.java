package org.shardmend.job.files;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import org.shardmend.plan.Comparison;
import org.shardmend.plan.ComparisonResult;
import org.shardmend.plan.NamedTensor;
import org.shardmend.storage.bytes.ByteComparer;
import org.shardmend.storage.bytes.ByteRange;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.bytes.RateLimiter;

/**
 * Compares the bytes of tensors, of one checkpoint or of two; keeps their shards open meanwhile.
 */
public final class TensorComparer implements Closeable {
  private final OpenShards left;
  private final OpenShards right;
  private final ByteComparer bytes;

  private TensorComparer(CheckpointAccess left, CheckpointAccess right, LongConsumer meter)
      throws IOException {
    this.left = OpenShards.of(left);
    this.right = OpenShards.of(right);
    this.bytes = new ByteComparer(new Pace(RateLimiter.none(), meter));
  }

  /** Compares tensors of one checkpoint. */
  public static TensorComparer within(CheckpointAccess checkpoint, LongConsumer meter)
      throws IOException {
    return between(checkpoint, checkpoint, meter);
  }

  /** Compares tensors of one checkpoint with those of another. */
  public static TensorComparer between(
      CheckpointAccess left, CheckpointAccess right, LongConsumer meter) throws IOException {
    return new TensorComparer(left, right, meter);
  }

  /** Reads what a comparison asks for; the first tensor is compared with each of the others. */
  public ComparisonResult compare(Comparison comparison) throws IOException {
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
  public OptionalLong firstDifference(NamedTensor one, NamedTensor other) throws IOException {
    return bytes
        .firstDifferences(
            new ByteRange(left.get(one.shard()), one.begin()),
            List.of(new ByteRange(right.get(other.shard()), other.begin())),
            one.bytes())
        .get(0);
  }

  @Override
  public void close() throws IOException {
    left.close();
    right.close();
  }
}
