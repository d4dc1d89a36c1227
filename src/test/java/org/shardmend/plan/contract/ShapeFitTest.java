package org.shardmend.plan.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardmend.checkpoint.layout.Loader;
import org.shardmend.safetensors.Shape;

/** What copying one shape into another does, as the loaders' code does it. */
class ShapeFitTest {
  @ParameterizedTest(name = "[{0}] into [{1}]")
  @CsvSource({
    "'', 1, BROADCAST, REFUSED, REFUSED",
    "'', '3,4', BROADCAST, REFUSED, REFUSED",
    "4, '3,4', BROADCAST, REFUSED, REFUSED",
    "1, '3,4', NARROWED, REFUSED, REFUSED",
    "4, '5,4', NARROWED, REFUSED, REFUSED",
    "4, '4,4', BROADCAST, REFUSED, REFUSED",
    "3, '5,4', REFUSED, REFUSED, REFUSED",
    "'1,16', '12,16', NARROWED, NARROWED, REFUSED",
    "'0,16', '12,16', NARROWED, NARROWED, REFUSED",
    "'16,12', '12,16', TOO_LARGE, TOO_LARGE, TOO_LARGE",
    "'24,16', '16,16', TOO_LARGE, TOO_LARGE, TOO_LARGE",
    "1, '', TOO_LARGE, TOO_LARGE, TOO_LARGE",
    "'1,4', 4, TOO_LARGE, TOO_LARGE, TOO_LARGE"
  })
  void aShapeThatIsNotTheParametersGoesInOrStops(
      String stored, String parameter, ShapeFit sharded, ShapeFit merged, ShapeFit huggingFace) {
    assertThat(ShapeFit.of(Loader.SHARDED_STATE, shape(stored), shape(parameter)))
        .isEqualTo(sharded);
    assertThat(ShapeFit.of(Loader.PRESHARDED_EARLY, shape(stored), shape(parameter)))
        .isEqualTo(ShapeFit.of(Loader.SHARDED_STATE, shape(stored), shape(parameter)));
    assertThat(ShapeFit.of(Loader.PRESHARDED_MERGED, shape(stored), shape(parameter)))
        .isEqualTo(merged);
    assertThat(ShapeFit.of(Loader.HUGGINGFACE, shape(stored), shape(parameter)))
        .isEqualTo(huggingFace);
  }

  @ParameterizedTest
  @CsvSource({"'', 1, true", "4, '1,4', true", "4, '4,4', false", "'', 2, false", "'', '', true"})
  void aBroadcastThatRepeatsNothingHoldsTheSameValues(
      String stored, String parameter, boolean same) {
    assertThat(ShapeFit.haveTheSameValues(shape(stored), shape(parameter))).isEqualTo(same);
  }

  private static Shape shape(String dimensions) {
    return dimensions.isEmpty()
        ? Shape.of()
        : Shape.of(Arrays.stream(dimensions.split(",")).mapToLong(Long::parseLong).toArray());
  }
}
