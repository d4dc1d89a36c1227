package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Shapes count their elements without overflow. */
class ShapeTest {
  @Test
  void aScalarHasOneElement() {
    assertThat(Shape.of().elements()).isEqualTo(1);
  }

  @Test
  void elementsAreTheProduct() {
    assertThat(Shape.of(3, 0, 5).elements()).isZero();
    assertThat(Shape.of(3, 4, 5).elements()).isEqualTo(60);
    assertThat(Shape.of(Long.MAX_VALUE).elements()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aProductBeyondALongIsRefused() {
    assertThatThrownBy(() -> Shape.of(1L << 62, 2).elements())
        .isInstanceOf(ArithmeticException.class);
    assertThatThrownBy(() -> Shape.of(1L << 40, 1L << 40, 0).elements())
        .isInstanceOf(ArithmeticException.class);
  }

  @Test
  void negativeDimensionsAreRefused() {
    assertThatThrownBy(() -> Shape.of(2, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void itIsPrintedAsInTheHeader() {
    assertThat(Shape.of()).hasToString("[]");
    assertThat(Shape.of(2, 64)).hasToString("[2, 64]");
    assertThat(Shape.of(new long[20]).toString()).endsWith("…] (20 dimensions)");
  }
}
