package org.shardmend.job.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.storage.Location;
import org.shardmend.storage.RangeReader;

/**
 * Looks over the shoulder of whoever reads a shard's tensors, one after the other in their order,
 * for those that hold nothing but zeros. Costs little: of a tensor that is not, a byte or two is
 * looked at.
 */
final class ZeroTensorWatch implements RangeReader {
  private final RangeReader shard;
  private final long dataBegin;
  private final List<TensorEntry> tensors;
  private final long[] zeros;
  private int current;

  ZeroTensorWatch(RangeReader shard, Header header) {
    this.shard = shard;
    this.dataBegin = header.dataBegin();
    this.tensors = header.inOffsetOrder().stream().filter(tensor -> tensor.bytes() > 0).toList();
    this.zeros = new long[tensors.size()];
  }

  /** The tensors that were read as a whole and hold zeros only, without those of no bytes. */
  List<TensorEntry> zeroFilled() {
    List<TensorEntry> filled = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      if (zeros[i] == tensors.get(i).bytes()) {
        filled.add(tensors.get(i));
      }
    }
    return filled;
  }

  @Override
  public int read(long position, ByteBuffer into) throws IOException {
    int begin = into.position();
    int count = shard.read(position, into);
    look(position - dataBegin, into, begin, count);
    return count;
  }

  /** Counts the zeros of each tensor for as long as it has no other byte. */
  private void look(long position, ByteBuffer bytes, int begin, int count) {
    long end = position + count;
    while (current < tensors.size() && tensors.get(current).end() <= position) {
      current++;
    }
    for (int i = current; i < tensors.size() && tensors.get(i).begin() < end; i++) {
      TensorEntry tensor = tensors.get(i);
      long from = Math.max(position, tensor.begin());
      if (zeros[i] == from - tensor.begin()) {
        int offset = begin + (int) (from - position);
        int length = (int) (Math.min(end, tensor.end()) - from);
        zeros[i] += leadingZeros(bytes, offset, length);
      }
    }
  }

  private static int leadingZeros(ByteBuffer bytes, int offset, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes.get(offset + i) != 0) {
        return i;
      }
    }
    return length;
  }

  @Override
  public Location location() {
    return shard.location();
  }

  @Override
  public long size() {
    return shard.size();
  }

  @Override
  public void requireUnchanged() throws IOException {
    shard.requireUnchanged();
  }

  @Override
  public void close() throws IOException {
    shard.close();
  }
}
