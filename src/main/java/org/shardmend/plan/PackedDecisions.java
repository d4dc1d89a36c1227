package org.shardmend.plan;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;
import org.shardmend.checkpoint.UnitId;

/**
 * A list of decisions as it travels and rests: deflated, about a twentieth of the objects' size.
 * Names within a shard are much alike, so a plan that changes every tensor of a large checkpoint
 * takes little room; what is too much all the same can be kept elsewhere, and is fetched when it is
 * unpacked or sent.
 */
public final class PackedDecisions implements Serializable {
  private static final long serialVersionUID = 1L;

  private final int count;
  private final transient Supplier<byte[]> deflated;

  private PackedDecisions(int count, Supplier<byte[]> deflated) {
    this.count = count;
    this.deflated = deflated;
  }

  /** How many decisions there are. */
  public int count() {
    return count;
  }

  /** The deflated form; not to be changed. */
  public byte[] deflated() {
    return deflated.get();
  }

  /**
   * The same decisions, kept elsewhere.
   *
   * @param kept fetches the {@link #deflated} form from where it was put
   */
  public PackedDecisions keptElsewhere(Supplier<byte[]> kept) {
    return new PackedDecisions(count, kept);
  }

  private Object writeReplace() {
    return new Sent(count, deflated());
  }

  /** What travels: always the decisions themselves. */
  private static final class Sent implements Serializable {
    private static final long serialVersionUID = 1L;

    private final int count;
    private final byte[] deflated;

    Sent(int count, byte[] deflated) {
      this.count = count;
      this.deflated = deflated;
    }

    private Object readResolve() {
      return new PackedDecisions(count, () -> deflated);
    }
  }

  /** The packed form of {@code decisions}. */
  public static PackedDecisions of(List<Decision> decisions) {
    ByteArrayOutputStream buffer = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(buffer))) {
      for (Decision decision : decisions) {
        out.writeInt(decision.unit().pp());
        out.writeInt(decision.unit().tp());
        out.writeUTF(decision.action().name());
        for (String text :
            List.of(
                decision.shard(),
                decision.tensor(),
                decision.target(),
                decision.rule(),
                decision.reason())) {
          byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
          out.writeInt(utf8.length);
          out.write(utf8);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("A byte array refused to be written", e);
    }
    byte[] deflated = buffer.toByteArray();
    return new PackedDecisions(decisions.size(), () -> deflated);
  }

  /** The decisions, in the order in which they were packed. */
  public List<Decision> unpack() {
    List<Decision> decisions = new ArrayList<>(count);
    try (DataInputStream in =
        new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(deflated())))) {
      for (int i = 0; i < count; i++) {
        UnitId unit = new UnitId(in.readInt(), in.readInt());
        Action action = Action.valueOf(in.readUTF());
        decisions.add(new Decision(unit, text(in), text(in), text(in), action, text(in), text(in)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("Packed decisions are damaged", e);
    }
    return decisions;
  }

  private static String text(DataInputStream in) throws IOException {
    byte[] utf8 = new byte[in.readInt()];
    in.readFully(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
