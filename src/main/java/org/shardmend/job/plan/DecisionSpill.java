package org.shardmend.job.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import org.shardmend.job.files.NamelessFile;
import org.shardmend.plan.Deflated;
import org.shardmend.plan.ShardPlan;
import org.shardmend.plan.UnitPlan;

/**
 * Keeps a plan's decisions and comparisons out of the driver's heap once they are too many for it:
 * a rule that changes every tensor of a large checkpoint makes millions. They go to a temporary
 * file of the driver's, which has no name any more when it is in use and so is gone with the
 * process.
 */
final class DecisionSpill {
  /** So many deflated bytes may stay in the heap. */
  static final long DEFAULT_HEAP_BYTES = 32L << 20;

  /** What takes so little is not worth a place in the file: an empty list, as a rule. */
  private static final int SMALL_BYTES = 16;

  private final long heapBytes;
  private long inHeap;
  private long spilled;
  private FileChannel file;

  DecisionSpill(long heapBytes) {
    this.heapBytes = heapBytes;
  }

  /**
   * The same plan; its lists are in the heap while there is room, else in the file.
   *
   * @throws UncheckedIOException when the file can't be written
   */
  UnitPlan keep(UnitPlan unit) {
    List<ShardPlan> shards =
        unit.shards().stream()
            .map(shard -> shard.withChanges(shard.changes().kept(this::keep)))
            .toList();
    return new UnitPlan(unit.unit(), shards, unit.open().kept(this::keep));
  }

  /**
   * The same list, kept likewise.
   *
   * @throws UncheckedIOException when the file can't be written
   */
  Deflated keep(Deflated list) {
    byte[] bytes = list.bytes();
    if (bytes.length <= SMALL_BYTES || inHeap + bytes.length <= heapBytes) {
      inHeap += bytes.length;
      return list;
    }
    int length = bytes.length;
    try {
      long at = append(bytes);
      return list.keptElsewhere(() -> read(at, length));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes in the file. */
  long spilledBytes() {
    return spilled;
  }

  private long append(byte[] deflated) throws IOException {
    if (file == null) {
      file = NamelessFile.open("shardmend-plan-");
    }
    long at = spilled;
    ByteBuffer buffer = ByteBuffer.wrap(deflated);
    while (buffer.hasRemaining()) {
      spilled += file.write(buffer, spilled);
    }
    return at;
  }

  private byte[] read(long at, int length) {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    try {
      while (buffer.hasRemaining()) {
        if (file.read(buffer, at + buffer.position()) < 0) {
          throw new IOException("the plan's spill file ends early");
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "The plan's decisions can't be read back from the temporary directory", e);
    }
    return buffer.array();
  }
}
