package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class NaturalOrderTest {
  @Test
  void ordersNumbersByTheirValue() {
    List<String> ordered =
        List.of("layers", "layers.2.a", "layers.2.b", "layers.10.a", "layers.11");

    assertThat(ordered.stream().sorted(Comparator.reverseOrder()).sorted(NaturalOrder.INSTANCE))
        .containsExactlyElementsOf(ordered);
  }

  @Test
  void placesTwoBeforeTen() {
    assertThat(NaturalOrder.INSTANCE.compare("layers.2", "layers.10")).isNegative();
    assertThat(NaturalOrder.INSTANCE.compare("layers.10.a", "layers.2.b")).isPositive();
  }

  @Test
  void comparesNumbersOfAnyLength() {
    assertThat(NaturalOrder.INSTANCE.compare("x99999999999999999999", "x100000000000000000000"))
        .isNegative();
  }

  @Test
  void namesThatDifferInLeadingZerosAloneAreNotEqual() {
    assertThat(NaturalOrder.INSTANCE.compare("x1", "x01")).isNotZero();
    assertThat(NaturalOrder.INSTANCE.compare("x1", "x1")).isZero();
  }
}
