package org.shardmend.plan;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A list of values as it travels and rests: deflated, which for names that are much alike is a
 * small part of what the values take. It is read value by value, so that its length costs no
 * memory; what is too much all the same can be kept elsewhere, and is fetched when it is read or
 * sent.
 */
public final class Deflated implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int count;
  private final transient Supplier<byte[]> bytes;

  private Deflated(int count, Supplier<byte[]> bytes) {
    this.count = count;
    this.bytes = bytes;
  }

  /** How one value is written. */
  @FunctionalInterface
  interface Writer<T> {
    void write(T value, DataOutputStream out) throws IOException;
  }

  /** How one value is read. */
  @FunctionalInterface
  interface Reader<T> {
    T read(DataInputStream in) throws IOException;
  }

  /** How many values there are. */
  int count() {
    return count;
  }

  /** The deflated form; not to be changed. */
  public byte[] bytes() {
    return bytes.get();
  }

  /**
   * The same list, kept elsewhere.
   *
   * @param kept fetches the {@link #bytes} from where they were put
   */
  public Deflated keptElsewhere(Supplier<byte[]> kept) {
    return new Deflated(count, kept);
  }

  /** The values, in their order, each read when it is asked for. */
  <T> Stream<T> stream(Reader<T> reader) {
    return StreamSupport.stream(new Values<>(count, bytes(), reader), false);
  }

  private static final class Values<T> extends Spliterators.AbstractSpliterator<T> {
    private final DataInputStream in;
    private final Reader<T> reader;
    private int left;

    Values(int count, byte[] deflated, Reader<T> reader) {
      super(count, Spliterator.ORDERED | Spliterator.SIZED | Spliterator.NONNULL);
      this.in = new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(deflated)));
      this.reader = reader;
      this.left = count;
    }

    @Override
    public boolean tryAdvance(Consumer<? super T> action) {
      if (left == 0) {
        return false;
      }
      left--;
      try {
        action.accept(reader.read(in));
      } catch (IOException e) {
        throw new UncheckedIOException("A deflated list is damaged", e);
      }
      return true;
    }
  }

  private Object writeReplace() {
    return new Sent(count, bytes());
  }

  /** What travels: always the values themselves. */
  private static final class Sent implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int count;
    private final byte[] bytes;

    Sent(int count, byte[] bytes) {
      this.count = count;
      this.bytes = bytes;
    }

    private Object readResolve() {
      return new Deflated(count, () -> bytes);
    }
  }

  /** A list that is made value by value. */
  static final class Builder<T> {
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(buffer));
    private final Writer<T> writer;
    private int count;

    Builder(Writer<T> writer) {
      this.writer = writer;
    }

    void add(T value) {
      try {
        writer.write(value, out);
      } catch (IOException e) {
        throw new UncheckedIOException("A byte array refused to be written", e);
      }
      count++;
    }

    int count() {
      return count;
    }

    Deflated build() {
      try {
        out.close();
      } catch (IOException e) {
        throw new UncheckedIOException("A byte array refused to be written", e);
      }
      byte[] deflated = buffer.toByteArray();
      return new Deflated(count, () -> deflated);
    }
  }

  static void writeText(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  static String readText(DataInputStream in) throws IOException {
    byte[] utf8 = new byte[in.readInt()];
    in.readFully(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
