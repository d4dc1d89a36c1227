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

/**
 * A list of decisions as it travels and rests, {@link Deflated}: about a twentieth of the objects'
 * size. So a plan that changes every tensor of a large checkpoint takes little room.
 *
 * @param deflated the decisions
 */
public record PackedDecisions(Deflated deflated) implements Serializable {

  /** The packed form of {@code decisions}. */
  public static PackedDecisions of(List<Decision> decisions) {
    return of(decisions.stream());
  }

  static PackedDecisions of(Stream<Decision> decisions) {
    Deflated.Builder<Decision> builder = new Deflated.Builder<>(PackedDecisions::write);
    decisions.forEach(builder::add);
    return new PackedDecisions(builder.build());
  }

  /** How many decisions there are. */
  public int count() {
    return deflated.count();
  }

  /** The same decisions, kept where {@code keeper} puts them. */
  public PackedDecisions kept(UnaryOperator<Deflated> keeper) {
    return new PackedDecisions(keeper.apply(deflated));
  }

  /** The decisions, in the order in which they were packed, each made when it is asked for. */
  public Stream<Decision> stream() {
    return deflated.stream(PackedDecisions::read);
  }

  /** All of them at once. */
  public List<Decision> unpack() {
    List<Decision> decisions = new ArrayList<>(count());
    stream().forEach(decisions::add);
    return decisions;
  }

  private static void write(Decision decision, DataOutputStream out) throws IOException {
    out.writeInt(decision.unit().pp());
    out.writeInt(decision.unit().tp());
    out.writeUTF(decision.action().name());
    Deflated.writeText(decision.shard(), out);
    Deflated.writeText(decision.tensor(), out);
    Deflated.writeText(decision.target(), out);
    Deflated.writeText(decision.rule(), out);
    Deflated.writeText(decision.reason(), out);
  }

  private static Decision read(DataInputStream in) throws IOException {
    UnitId unit = new UnitId(in.readInt(), in.readInt());
    Action action = Action.valueOf(in.readUTF());
    return new Decision(
        unit,
        Deflated.readText(in),
        Deflated.readText(in),
        Deflated.readText(in),
        action,
        Deflated.readText(in),
        Deflated.readText(in));
  }
}
