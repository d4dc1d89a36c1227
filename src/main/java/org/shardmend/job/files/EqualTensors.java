package org.shardmend.job.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.shardmend.plan.NamedTensor;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.bytes.ByteComparer;
import org.shardmend.storage.bytes.ByteRange;
import org.shardmend.storage.bytes.DigestAlgorithm;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.bytes.RateLimiter;
import org.shardmend.storage.bytes.TensorDigester;

/**
 * Finds the tensors of one size that hold equal bytes. Different ones are told apart by the digest
 * of their first bytes, so that little is read of them; what is left, by the digest of all bytes,
 * and at last byte by byte.
 */
public final class EqualTensors implements Closeable {
  private static final int FIRST_BYTES = 64 << 10;

  private final OpenShards shards;
  private final TensorDigester digester;
  private final ByteComparer comparer;
  private final LongConsumer meter;

  private EqualTensors(CheckpointAccess access, LongConsumer meter) throws IOException {
    this.shards = OpenShards.of(access);
    Pace pace = new Pace(RateLimiter.none(), meter);
    this.digester = new TensorDigester(DigestAlgorithm.XXH3_128, pace);
    this.comparer = new ByteComparer(pace);
    this.meter = meter;
  }

  public static EqualTensors of(CheckpointAccess access, LongConsumer meter) throws IOException {
    return new EqualTensors(access, meter);
  }

  /** What distinguishes tensors, as far as it is read. */
  @FunctionalInterface
  private interface Key {
    String of(NamedTensor tensor) throws IOException;
  }

  /**
   * The sets of tensors with equal bytes, each with at least two; without those that hold one value
   * over and over, which are equal and have nothing to do with each other.
   *
   * @param alike tensors of one type and shape; equal ones, if they have content keys
   */
  public List<List<NamedTensor>> among(List<NamedTensor> alike) throws IOException {
    List<List<NamedTensor>> sets = List.of(alike);
    if (alike.get(0).contentKey().isEmpty()) {
      sets = split(split(sets, tensor -> digest(tensor, FIRST_BYTES)), this::digest);
    }
    List<List<NamedTensor>> equal = new ArrayList<>();
    for (List<NamedTensor> set : sets) {
      if (!isConstant(set.get(0))) {
        equal.addAll(confirmed(set));
      }
    }
    return equal;
  }

  private static List<List<NamedTensor>> split(List<List<NamedTensor>> sets, Key key)
      throws IOException {
    List<List<NamedTensor>> parts = new ArrayList<>();
    for (List<NamedTensor> set : sets) {
      Map<String, List<NamedTensor>> byKey = new LinkedHashMap<>();
      for (NamedTensor tensor : set) {
        byKey.computeIfAbsent(key.of(tensor), k -> new ArrayList<>()).add(tensor);
      }
      byKey.values().stream().filter(part -> part.size() > 1).forEach(parts::add);
    }
    return parts;
  }

  /** What is the same for tensors of one type and shape with equal bytes. */
  public String digest(NamedTensor tensor) throws IOException {
    return tensor.contentKey().isEmpty() ? digest(tensor, tensor.bytes()) : tensor.contentKey();
  }

  private String digest(NamedTensor tensor, long most) throws IOException {
    long end = tensor.begin() + Math.min(most, tensor.bytes());
    TensorEntry range =
        new TensorEntry(tensor.name(), tensor.dtype(), tensor.shape(), tensor.begin(), end);
    return digester.digest(shards.get(tensor.shard()), 0, List.of(range)).get(0);
  }

  /** Those that equal the first, byte by byte; digests are not proof. */
  private Collection<List<NamedTensor>> confirmed(List<NamedTensor> set) throws IOException {
    NamedTensor first = set.get(0);
    List<NamedTensor> equal = new ArrayList<>(List.of(first));
    for (NamedTensor other : set.subList(1, set.size())) {
      boolean same =
          !first.contentKey().isEmpty()
              || comparer
                  .firstDifferences(range(first), List.of(range(other)), first.bytes())
                  .get(0)
                  .isEmpty();
      if (same) {
        equal.add(other);
      }
    }
    return equal.size() > 1 ? List.of(equal) : List.of();
  }

  private ByteRange range(NamedTensor tensor) throws IOException {
    return new ByteRange(shards.get(tensor.shard()), tensor.begin());
  }

  /** Whether all its elements are the same; read up to the first that is not. */
  private boolean isConstant(NamedTensor tensor) throws IOException {
    long elements = Math.max(1, tensor.shape().elements());
    int step = (int) Math.max(1, tensor.bytes() / elements);
    ByteBuffer piece = ByteBuffer.allocate(FIRST_BYTES / step * step);
    // Each piece begins with the last element of the one before: one comparison of a piece with
    // itself, shifted by an element, is enough.
    for (long at = tensor.begin(); tensor.end() - at > step; at += piece.limit() - step) {
      piece.clear().limit((int) Math.min(piece.capacity(), tensor.end() - at));
      shards.get(tensor.shard()).readFully(at, piece);
      meter.accept(piece.limit());
      int shifted = piece.flip().limit() - step;
      if (piece.slice(0, shifted).mismatch(piece.slice(step, shifted)) >= 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() throws IOException {
    shards.close();
  }
}
