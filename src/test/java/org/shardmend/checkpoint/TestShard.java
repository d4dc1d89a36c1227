package org.shardmend.checkpoint;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.HeaderWriter;
import org.shardmend.safetensors.SafetensorsException;
import org.shardmend.safetensors.Shape;
import org.shardmend.safetensors.TensorEntry;
import org.shardmend.safetensors.UnknownDtypes;

/** Builds small shards for tests. */
public final class TestShard {
  private final List<TensorEntry> tensors = new ArrayList<>();
  private Optional<Map<String, String>> metadata = Optional.empty();
  private long end;

  public TestShard metadata(Map<String, String> strings) {
    metadata = Optional.of(strings);
    return this;
  }

  public TestShard bf16(String name, long... shape) {
    return tensor(name, "BF16", 2, shape);
  }

  public TestShard f16(String name, long... shape) {
    return tensor(name, "F16", 2, shape);
  }

  public List<TensorEntry> tensors() {
    return tensors;
  }

  Header header() {
    try {
      return Header.of(metadata, tensors, UnknownDtypes.REFUSE);
    } catch (SafetensorsException e) {
      throw new AssertionError(e);
    }
  }

  public byte[] bytes() {
    byte[] header = HeaderWriter.encode(header());
    return Arrays.copyOf(header, header.length + (int) end);
  }

  public ScannedShard scanned(String name) {
    return new ScannedShard(
        UnitId.NONE, new Shard(name, 0, bytes().length, 0), header(), "not looked at");
  }

  private TestShard tensor(String name, String dtype, int elementBytes, long... shape) {
    long bytes = Shape.of(shape).elements() * elementBytes;
    tensors.add(new TensorEntry(name, dtype, Shape.of(shape), end, end + bytes));
    end += bytes;
    return this;
  }
}
