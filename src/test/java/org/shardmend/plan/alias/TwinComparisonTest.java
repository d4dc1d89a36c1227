package org.shardmend.plan.alias;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.safetensors.Shape;

/** What the bytes of a healthy checkpoint say of another one's. */
class TwinComparisonTest {
  private static final String FORM = "BF16";

  private static TensorSample tensor(int tp, String name, String bytes) {
    return tensor(tp, name, FORM, bytes);
  }

  private static TensorSample tensor(int tp, String name, String form, String bytes) {
    return new TensorSample(
        UnitId.ofTp(tp),
        "rank-" + tp,
        name,
        form,
        Shape.of(2, 2),
        true,
        bytes.equals("zeros"),
        bytes);
  }

  private static List<TensorSample> healthy() {
    List<TensorSample> tensors = new ArrayList<>();
    for (int tp = 0; tp < 2; tp++) {
      for (String name : List.of("a", "b", "c", "d")) {
        tensors.add(tensor(tp, name, name + tp));
      }
      tensors.add(tensor(tp, "norm", "norm"));
    }
    return tensors;
  }

  private static List<TensorSample> healthyBut(TensorSample... others) {
    List<TensorSample> tensors = healthy();
    for (TensorSample other : others) {
      tensors.replaceAll(
          t -> t.unit().equals(other.unit()) && t.name().equals(other.name()) ? other : t);
    }
    return tensors;
  }

  @Test
  void theSameBytesUnderTheSameNamesAreAllRight() {
    TwinComparison twin = TwinComparison.of(healthy(), healthy());

    assertThat(twin.sameWeights()).isTrue();
    assertThat(twin.compared()).isEqualTo(10);
    assertThat(twin.exchanged()).isEmpty();
    assertThat(twin.misplaced()).isEmpty();
    assertThat(twin.differing()).isEmpty();
  }

  @Test
  void namesThatHoldEachOthersBytesAreExchanged() {
    TwinComparison twin =
        TwinComparison.of(healthyBut(tensor(0, "a", "b0"), tensor(0, "b", "a0")), healthy());

    assertThat(twin.sameWeights()).isTrue();
    assertThat(twin.exchanged())
        .extracting(one -> one.tensor().name() + " holds " + one.holds())
        .containsExactly("a holds b", "b holds a");
    assertThat(twin.differing()).isEmpty();
  }

  @Test
  void ranksThatHoldEachOthersBytesAreMisplacedThoughNothingIsWhereItShouldBe() {
    List<TensorSample> swapped =
        healthy().stream().map(t -> tensor(1 - t.unit().tp(), t.name(), t.digest())).toList();

    TwinComparison twin = TwinComparison.of(swapped, healthy());

    assertThat(twin.sameWeights()).isTrue();
    assertThat(twin.misplaced())
        .hasSize(8)
        .allSatisfy(one -> assertThat(one.holds().tp()).isEqualTo(1 - one.tensor().unit().tp()));
    assertThat(twin.differing()).isEmpty();
  }

  @Test
  void aFewOtherBytesAreDamage() {
    TwinComparison twin = TwinComparison.of(healthyBut(tensor(0, "a", "x")), healthy());

    assertThat(twin.sameWeights()).isTrue();
    assertThat(twin.differing()).extracting(TensorSample::name).containsExactly("a");
  }

  @Test
  void zerosInPlaceOfAWeightAreDamageThoughAnotherNameHoldsZeros() {
    List<TensorSample> twins = new ArrayList<>(List.of(tensor(0, "scale", "zeros")));
    twins.addAll(healthy());

    TwinComparison twin = TwinComparison.of(healthyBut(tensor(0, "a", "zeros")), twins);

    assertThat(twin.exchanged()).isEmpty();
    assertThat(twin.differing()).extracting(TensorSample::name).containsExactly("a");
  }

  @Test
  void mostlyOtherBytesAreOtherWeights() {
    List<TensorSample> later =
        healthy().stream().map(t -> tensor(t.unit().tp(), t.name(), t.digest() + "+")).toList();

    TwinComparison twin = TwinComparison.of(later, healthy());

    assertThat(twin.sameWeights()).isFalse();
    assertThat(twin.differing()).hasSize(10);
  }

  @Test
  void bytesThatSeveralNamesHaveBelongToNone() {
    List<TensorSample> twins =
        new ArrayList<>(List.of(tensor(0, "e", "ones"), tensor(0, "f", "ones")));
    twins.addAll(healthy());

    TwinComparison twin = TwinComparison.of(healthyBut(tensor(0, "a", "ones")), twins);

    assertThat(twin.exchanged()).isEmpty();
    assertThat(twin.differing()).extracting(TensorSample::name).containsExactly("a");
  }

  @Test
  void tensorsOfAnotherFormOrNameAreNotCompared() {
    List<TensorSample> other = List.of(tensor(0, "a", "F32", "a0"), tensor(0, "unknown", "b0"));

    assertThat(TwinComparison.of(other, healthy()).compared()).isZero();
  }
}
