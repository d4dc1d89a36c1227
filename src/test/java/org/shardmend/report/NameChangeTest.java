package org.shardmend.report;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class NameChangeTest {
  @Test
  void marksThePartThatIsGone() {
    assertThat(NameChange.of("a.attn_mha.kv_b_proj.weight", "a.kv_b_proj.weight"))
        .isEqualTo(new NameChange("a.", "attn_mha.", "", "kv_b_proj.weight"));
  }

  @Test
  void marksThePartThatIsNew() {
    assertThat(NameChange.of("a.dt_bias", "a.attn.dt_bias"))
        .isEqualTo(new NameChange("a.", "", "attn.", "dt_bias"));
  }

  @Test
  void cutsBetweenPartsOnly() {
    assertThat(NameChange.of("a.correction_bias", "a.e_score_correction_bias"))
        .isEqualTo(new NameChange("a.", "correction_bias", "e_score_correction_bias", ""));
  }

  @Test
  void aNameWithoutSuccessorIsGoneAsAWhole() {
    assertThat(NameChange.of("a.b", "")).isEqualTo(new NameChange("", "a.b", "", ""));
  }

  @Property
  void itsPiecesMakeBothNames(
      @ForAll
          @StringLength(max = 12)
          @CharRange(from = 'a', to = 'c')
          @CharRange(from = '.', to = '.')
          String from,
      @ForAll
          @NotEmpty
          @StringLength(max = 12)
          @CharRange(from = 'a', to = 'c')
          @CharRange(from = '.', to = '.')
          String to) {
    NameChange change = NameChange.of(from, to);

    assertThat(change.before() + change.removed() + change.after()).isEqualTo(from);
    assertThat(change.before() + change.added() + change.after()).isEqualTo(to);
  }
}
