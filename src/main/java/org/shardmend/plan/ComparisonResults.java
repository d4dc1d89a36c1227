package org.shardmend.plan;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.shardmend.checkpoint.UnitId;

/**
 * What the comparisons of many names have shown, as it travels and rests: of those that found equal
 * bytes nothing but their number is kept.
 *
 * @param compared how many comparisons were made
 * @param packed those that found a difference, {@link Deflated}, in the order of the comparisons
 */
public record ComparisonResults(long compared, List<Deflated> packed) implements Serializable {

  /** Nothing was compared. */
  public static final ComparisonResults NONE = new ComparisonResults(0, List.of());

  /** Copies the list, so that the value can't change. */
  public ComparisonResults {
    packed = List.copyOf(packed);
  }

  /** The packed form of {@code results}. */
  public static ComparisonResults of(List<ComparisonResult> results) {
    Deflated.Builder<ComparisonResult> builder = new Deflated.Builder<>(ComparisonResults::write);
    results.stream().filter(result -> result.difference().isPresent()).forEach(builder::add);
    Deflated different = builder.build();
    return new ComparisonResults(
        results.size(), different.count() == 0 ? List.of() : List.of(different));
  }

  /** All results of {@code parts}, which are in the order of the comparisons. */
  public static ComparisonResults together(List<ComparisonResults> parts) {
    return new ComparisonResults(
        parts.stream().mapToLong(ComparisonResults::compared).sum(),
        parts.stream().flatMap(part -> part.packed.stream()).toList());
  }

  /** The same results, kept where {@code keeper} puts them. */
  public ComparisonResults kept(UnaryOperator<Deflated> keeper) {
    return new ComparisonResults(compared, packed.stream().map(keeper).toList());
  }

  /** Those that found a difference, in the order of the comparisons. */
  public Stream<ComparisonResult> different() {
    return packed.stream().flatMap(part -> part.stream(ComparisonResults::read));
  }

  /**
   * Hands on those that found a difference, unit by unit.
   *
   * @param each told a unit and its results
   */
  public void byUnit(BiConsumer<UnitId, List<ComparisonResult>> each) {
    List<ComparisonResult> ofUnit = new ArrayList<>();
    Iterator<ComparisonResult> results = different().iterator();
    while (results.hasNext()) {
      ComparisonResult result = results.next();
      if (!ofUnit.isEmpty() && !ofUnit.get(0).unit().equals(result.unit())) {
        each.accept(ofUnit.get(0).unit(), List.copyOf(ofUnit));
        ofUnit.clear();
      }
      ofUnit.add(result);
    }
    if (!ofUnit.isEmpty()) {
      each.accept(ofUnit.get(0).unit(), ofUnit);
    }
  }

  private static void write(ComparisonResult result, DataOutputStream out) throws IOException {
    out.writeInt(result.unit().pp());
    out.writeInt(result.unit().tp());
    Deflated.writeText(result.target(), out);
    out.writeLong(result.firstDifference());
    Deflated.writeText(result.differingTensor(), out);
  }

  private static ComparisonResult read(DataInputStream in) throws IOException {
    UnitId unit = new UnitId(in.readInt(), in.readInt());
    return new ComparisonResult(unit, Deflated.readText(in), in.readLong(), Deflated.readText(in));
  }
}
