package org.shardmend.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.shardmend.safetensors.Shape;
import org.shardmend.trial.TrialTensor.Copies;

class PartCutterTest {

  private static List<TrialTensor> tensors(long... bytes) {
    return Arrays.stream(bytes)
        .mapToObj(
            size ->
                new TrialTensor(
                    "t" + size, ElementType.F8_E4M3, Shape.of(size), Copies.SHARDED, "t" + size))
        .toList();
  }

  private static List<List<Long>> cut(long limit, List<List<TrialTensor>> sections) {
    return new PartCutter(limit)
        .cut(sections).stream()
            .map(part -> part.stream().map(TrialTensor::bytes).toList())
            .toList();
  }

  @Test
  void aNewPartStartsWhenTheNextTensorWouldPassTheLimit() {
    assertThat(cut(10, List.of(tensors(4, 6, 1, 9, 5))))
        .containsExactly(List.of(4L, 6L), List.of(1L, 9L), List.of(5L));
  }

  @Test
  void withoutALimitThereIsOnePart() {
    assertThat(cut(Long.MAX_VALUE, List.of(tensors(4, 6, 1)))).containsExactly(List.of(4L, 6L, 1L));
  }

  @Test
  void aFirstTensorBeyondTheLimitLeavesAnEmptyPartBehind() {
    assertThat(cut(10, List.of(tensors(11, 1))))
        .containsExactly(List.of(), List.of(11L), List.of(1L));
  }

  @Test
  void aRankWithoutTensorsHasOneEmptyPart() {
    assertThat(cut(10, List.of(List.of()))).containsExactly(List.of());
  }

  @Test
  void aNewSectionStartsANewPart() {
    assertThat(cut(100, List.of(tensors(1, 2), tensors(3, 4))))
        .containsExactly(List.of(1L, 2L), List.of(3L, 4L));
  }

  @Test
  void aLaterSectionLeavesNoEmptyPart() {
    assertThat(cut(10, List.of(tensors(1), tensors(11))))
        .containsExactly(List.of(1L), List.of(11L));
  }
}
