package org.shardmend.safetensors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.shardmend.safetensors.SafetensorsException.Kind;

/** Renames move nothing; drops move up what lies behind them. */
class HeaderEditTest {
  private static final UnknownDtypes REFUSE = UnknownDtypes.REFUSE;

  private static TensorEntry tensor(String name, Dtype dtype, long elements, long begin) {
    long bytes = elements * dtype.bits() / Byte.SIZE;
    return new TensorEntry(name, dtype.name(), Shape.of(elements), begin, begin + bytes);
  }

  private static Header header(TensorEntry... tensors) throws SafetensorsException {
    return Headers.of(Optional.empty(), tensors);
  }

  @Test
  void aRenameMovesNoData() throws SafetensorsException {
    Header source = header(tensor("x.attn_mha.w", Dtype.F32, 2, 0), tensor("b", Dtype.F32, 1, 8));
    HeaderEdit edit = HeaderEdit.of(source, Map.of("x.attn_mha.w", "x.w"), Set.of(), REFUSE);
    assertThat(edit.movesData()).isFalse();
    assertThat(edit.spans()).containsExactly(new Span(0, 12, 0));
    assertThat(edit.target().tensors())
        .containsExactly(tensor("x.w", Dtype.F32, 2, 0), tensor("b", Dtype.F32, 1, 8));
  }

  @Test
  void aStringOfTheMetadataIsSetAndTheOthersStay() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 2, 0));
    HeaderEdit made =
        HeaderEdit.of(source, Map.of(), Set.of(), REFUSE).withMetadata("format", "pt", REFUSE);
    assertThat(made.target().metadata()).contains(Map.of("format", "pt"));
    assertThat(made.target().tensors()).isEqualTo(source.tensors());
    assertThat(made.movesData()).isFalse();

    HeaderEdit changed =
        HeaderEdit.of(made.target(), Map.of("a", "b"), Set.of(), REFUSE)
            .withMetadata("more", "x", REFUSE)
            .withMetadata("format", "mlx", REFUSE);
    assertThat(changed.target().metadata()).contains(Map.of("format", "mlx", "more", "x"));
    assertThat(changed.target().find("b")).isPresent();
  }

  @Test
  void twoNamesCanBeSwapped() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 2, 0), tensor("b", Dtype.F32, 1, 8));
    Header target = HeaderEdit.of(source, Map.of("a", "b", "b", "a"), Set.of(), REFUSE).target();
    assertThat(target.tensors())
        .containsExactly(tensor("b", Dtype.F32, 2, 0), tensor("a", Dtype.F32, 1, 8));
  }

  @Test
  void aNameCanBeTakenFromADroppedTensor() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 2, 0), tensor("b", Dtype.F32, 1, 8));
    Header target = HeaderEdit.of(source, Map.of("a", "b"), Set.of("b"), REFUSE).target();
    assertThat(target.tensors()).containsExactly(tensor("b", Dtype.F32, 2, 0));
  }

  @Test
  void whatLiesBehindADropMovesUp() throws SafetensorsException {
    Header source =
        header(
            tensor("d", Dtype.F32, 1, 16),
            tensor("a", Dtype.F32, 2, 0),
            tensor("c", Dtype.F32, 1, 12),
            tensor("b", Dtype.F32, 1, 8));
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), Set.of("b"), REFUSE);
    assertThat(edit.movesData()).isTrue();
    assertThat(edit.target().tensors())
        .containsExactly(
            tensor("d", Dtype.F32, 1, 12),
            tensor("a", Dtype.F32, 2, 0),
            tensor("c", Dtype.F32, 1, 8));
    assertThat(edit.spans()).containsExactly(new Span(0, 8, 0), new Span(12, 20, 8));
  }

  @Test
  void aDropAtTheEndMovesNothing() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 2, 0), tensor("b", Dtype.F32, 1, 8));
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), Set.of("b"), REFUSE);
    assertThat(edit.movesData()).isFalse();
    assertThat(edit.spans()).containsExactly(new Span(0, 8, 0));
  }

  @Test
  void aHeaderMayLoseAllItsTensors() throws SafetensorsException {
    Header source = Headers.of(Optional.of(Map.of("format", "pt")), tensor("a", Dtype.F32, 2, 0));
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), Set.of("a"), REFUSE);
    assertThat(edit.spans()).isEmpty();
    assertThat(edit.movesData()).isFalse();
    assertThat(edit.target()).isEqualTo(Headers.of(Optional.of(Map.of("format", "pt"))));
  }

  @Test
  void wouldACompactionMisalignTheReferencesOrderIsTaken() throws SafetensorsException {
    Header source =
        header(
            tensor("byte", Dtype.U8, 1, 0),
            tensor("odd", Dtype.U8, 3, 1),
            tensor("half", Dtype.BF16, 2, 4),
            tensor("b.wide", Dtype.F32, 1, 8),
            tensor("a.wide", Dtype.F32, 1, 12));
    HeaderEdit edit = HeaderEdit.of(source, Map.of("a.wide", "c.wide"), Set.of("odd"), REFUSE);
    assertThat(edit.target().inOffsetOrder())
        .containsExactly(
            tensor("b.wide", Dtype.F32, 1, 0),
            tensor("c.wide", Dtype.F32, 1, 4),
            tensor("half", Dtype.BF16, 2, 8),
            tensor("byte", Dtype.U8, 1, 12));
    assertThat(edit.target().tensors().stream().map(TensorEntry::name))
        .containsExactly("byte", "half", "b.wide", "c.wide");
    assertThat(edit.spans())
        .containsExactly(new Span(8, 16, 0), new Span(4, 8, 8), new Span(0, 1, 12));
  }

  @Test
  void namesAreOrderedByTheirUtf8() throws SafetensorsException {
    Header source =
        header(
            tensor("drop", Dtype.U8, 1, 0),
            tensor("\ud83d\ude00", Dtype.F32, 1, 1),
            tensor("\uff5e", Dtype.F32, 1, 5),
            tensor("drop too", Dtype.U8, 1, 9),
            tensor("x", Dtype.F32, 1, 10));
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), Set.of("drop too"), REFUSE);
    assertThat(edit.target().inOffsetOrder().stream().map(TensorEntry::name))
        .containsExactly("x", "\uff5e", "\ud83d\ude00", "drop");
  }

  @Test
  void anUnknownTypeIsAlignedAsItsElementsSeemToNeed() throws SafetensorsException {
    TensorEntry unknown = new TensorEntry("u", "F3", Shape.of(2), 8, 16);
    Header source =
        Header.of(
            Optional.empty(),
            List.of(tensor("a", Dtype.U8, 2, 0), tensor("b", Dtype.U8, 6, 2), unknown),
            UnknownDtypes.ALLOW);
    HeaderEdit edit = HeaderEdit.of(source, Map.of(), Set.of("b"), UnknownDtypes.ALLOW);
    assertThat(edit.target().find("u")).contains(unknown.movedTo(0));
  }

  @Test
  void metadataStaysBehindTheTensorsThatAreLeft() throws SafetensorsException {
    String json =
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
            + "\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]},"
            + "\"__metadata__\":{},"
            + "\"c\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[2,3]}}";
    Header source = HeaderBytes.read(HeaderBytes.file(json, 3));
    Header target = HeaderEdit.of(source, Map.of(), Set.of("a"), REFUSE).target();
    assertThat(target.content().metadataPosition()).isEqualTo(1);
  }

  @Test
  void aNewNameThatIsTakenIsRefusedByBothNames() throws SafetensorsException {
    Header source =
        header(
            tensor("a", Dtype.F32, 1, 0),
            tensor("b", Dtype.F32, 1, 4),
            tensor("c", Dtype.F32, 1, 8));
    for (Map<String, String> renames :
        List.of(Map.of("a", "c"), Map.of("a", "x", "b", "x"), Map.of("a", "b", "b", "c"))) {
      SafetensorsException rejection =
          catchThrowableOfType(
              SafetensorsException.class, () -> HeaderEdit.of(source, renames, Set.of(), REFUSE));
      assertThat(rejection.kind()).isEqualTo(Kind.DUPLICATE_NAME);
      assertThat(rejection).hasMessageContaining("would both be named");
    }
  }

  @Test
  void aRenameToItselfIsNoCollision() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 1, 0));
    assertThat(HeaderEdit.of(source, Map.of("a", "a"), Set.of(), REFUSE).target())
        .isEqualTo(source);
  }

  @Test
  void unknownAndContradictoryNamesAreTheCallersMistake() throws SafetensorsException {
    Header source = header(tensor("a", Dtype.F32, 1, 0));
    assertThatThrownBy(() -> HeaderEdit.of(source, Map.of("x", "y"), Set.of(), REFUSE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HeaderEdit.of(source, Map.of(), Set.of("x"), REFUSE))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> HeaderEdit.of(source, Map.of("a", "b"), Set.of("a"), REFUSE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
