package org.shardmend.plan;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

/**
 * Comparisons that are to be made, as they travel and rest, {@link Deflated}: a checkpoint may have
 * millions.
 *
 * @param deflated the comparisons
 * @param bytes what they read together
 */
public record PackedComparisons(Deflated deflated, long bytes) implements Serializable {

  /** No comparison. */
  public static final PackedComparisons NONE = new Builder().build();

  /** The packed form of {@code comparisons}. */
  public static PackedComparisons of(List<Comparison> comparisons) {
    Builder builder = new Builder();
    comparisons.forEach(builder::add);
    return builder.build();
  }

  /** How many there are. */
  public int count() {
    return deflated.count();
  }

  /** The same comparisons, kept where {@code keeper} puts them. */
  public PackedComparisons kept(UnaryOperator<Deflated> keeper) {
    return new PackedComparisons(keeper.apply(deflated), bytes);
  }

  /** The comparisons, in the order in which they were packed, each made when it is asked for. */
  public Stream<Comparison> stream() {
    return deflated.stream(PackedComparisons::read);
  }

  /** Comparisons that are packed one by one. */
  public static final class Builder {
    private final Deflated.Builder<Comparison> packed =
        new Deflated.Builder<>(PackedComparisons::write);
    private long bytes;

    /** Adds one. */
    public void add(Comparison comparison) {
      packed.add(comparison);
      bytes += comparison.bytes();
    }

    /** How many were added. */
    public int count() {
      return packed.count();
    }

    /** What they read together, in bytes. */
    public long bytes() {
      return bytes;
    }

    /** All that were added; nothing is added afterwards. */
    public PackedComparisons build() {
      return new PackedComparisons(packed.build(), bytes);
    }
  }

  private static void write(Comparison comparison, DataOutputStream out) throws IOException {
    out.writeInt(comparison.unit().pp());
    out.writeInt(comparison.unit().tp());
    Deflated.writeText(comparison.target(), out);
    out.writeInt(comparison.tensors().size());
    for (NamedTensor tensor : comparison.tensors()) {
      Deflated.writeText(tensor.shard(), out);
      Deflated.writeText(tensor.name(), out);
      Deflated.writeText(tensor.dtype(), out);
      out.writeInt(tensor.shape().rank());
      for (int i = 0; i < tensor.shape().rank(); i++) {
        out.writeLong(tensor.shape().dimension(i));
      }
      out.writeLong(tensor.begin());
      out.writeLong(tensor.end());
      Deflated.writeText(tensor.contentKey(), out);
      out.writeBoolean(tensor.extra());
    }
  }

  private static Comparison read(DataInputStream in) throws IOException {
    UnitId unit = new UnitId(in.readInt(), in.readInt());
    String target = Deflated.readText(in);
    int count = in.readInt();
    List<NamedTensor> tensors = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      tensors.add(
          new NamedTensor(
              Deflated.readText(in),
              Deflated.readText(in),
              Deflated.readText(in),
              shape(in),
              in.readLong(),
              in.readLong(),
              Deflated.readText(in),
              in.readBoolean()));
    }
    return new Comparison(unit, target, tensors);
  }

  private static Shape shape(DataInputStream in) throws IOException {
    long[] dimensions = new long[in.readInt()];
    for (int i = 0; i < dimensions.length; i++) {
      dimensions[i] = in.readLong();
    }
    return Shape.of(dimensions);
  }
}
