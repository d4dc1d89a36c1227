package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.shardmend.safetensors.SafetensorsException.Kind;

/** What the reference reader rejects is rejected for the same reason; the rest is accepted. */
class HeaderConformanceTest {
  private static final Set<Kind> ABOUT_ONE_TENSOR =
      EnumSet.of(
          Kind.INVALID_OFFSET,
          Kind.MISALIGNED_SLICE,
          Kind.TENSOR_INVALID_INFO,
          Kind.VALIDATION_OVERFLOW,
          Kind.DUPLICATE_NAME);

  static List<ConformanceCase> cases() {
    return ConformanceCase.all();
  }

  @Test
  void thereAre420Cases() {
    assertThat(cases()).hasSize(420);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void verdictIsTheReferenceReaders(ConformanceCase example) throws SafetensorsException {
    if (example.isAccepted() && !example.hasDuplicateName()) {
      assertThat(HeaderBytes.read(example.file()).fileBytes()).isEqualTo(example.file().length);
      return;
    }
    SafetensorsException rejection =
        catchThrowableOfType(SafetensorsException.class, () -> HeaderBytes.read(example.file()));
    assertThat(rejection).isNotNull();
    assertThat(rejection.kind().referenceName())
        .isEqualTo(example.hasDuplicateName() ? "DuplicateName" : example.error());
    assertThat(rejection.getMessage())
        .containsIgnoringCase("byte " + rejection.offset().orElseThrow());
    if (ABOUT_ONE_TENSOR.contains(rejection.kind())) {
      assertThat(rejection)
          .hasMessageContaining(DisplayName.of(rejection.tensor().orElse("no tensor is named")));
    }
  }
}
