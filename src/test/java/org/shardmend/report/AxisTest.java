package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class AxisTest {
  @Test
  void hasRoundTicks() {
    assertThat(Axis.upTo(7.3, 4)).isEqualTo(new Axis(8, List.of(0.0, 2.0, 4.0, 6.0, 8.0)));
  }

  @Test
  void isAnAxisEvenWhenAllValuesAreZero() {
    assertThat(Axis.upTo(0, 4).max()).isPositive();
  }

  @Property
  void holdsItsLargestValueInAFewTicks(@ForAll @DoubleRange(min = -6, max = 15) double exponent) {
    double largest = Math.pow(10, exponent);
    Axis axis = Axis.upTo(largest, 4);

    assertThat(axis.max()).isGreaterThanOrEqualTo(largest * (1 - 1e-6));
    assertThat(axis.ticks()).hasSizeBetween(2, 6);
    assertThat(axis.at(largest, 100)).isBetween(0.0, 100.001);
  }
}
