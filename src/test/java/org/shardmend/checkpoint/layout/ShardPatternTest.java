package org.shardmend.checkpoint.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.UnitId;

class ShardPatternTest {

  private static ShardPattern pattern(String text) {
    try {
      return ShardPattern.parse(text);
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aNameGivesRankAndPart() {
    ShardPattern.Match match =
        pattern(ShardPattern.DEFAULT).match("model-rank-3-part-12.safetensors").orElseThrow();

    assertThat(match.unit()).isEqualTo(UnitId.ofTp(3));
    assertThat(match.part()).isEqualTo(12);
    assertThat(match.isStray()).isFalse();
  }

  @Test
  void aNameWithStagesGivesTheStageToo() {
    ShardPattern.Match match =
        pattern(ShardPattern.DEFAULT_WITH_STAGES)
            .match("model-pp-7-rank-3-part-0.safetensors")
            .orElseThrow();

    assertThat(match.unit()).isEqualTo(new UnitId(7, 3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model-rank-0-part-0 (copy).safetensors",
        "model-rank-0-part-x.safetensors",
        "model-rank-0-part-.safetensors",
        "model-rank-0-part-00.safetensors",
        "model-rank-0-part--1.safetensors",
        "model-rank-0-part-1-part-2.safetensors",
        "model-rank-0-part-99999999999.safetensors",
        "model-rank-0-part-\u0661.safetensors",
        "model-rank-0-part-1\n.safetensors"
      })
  void aLoaderReadsWhateverItsGlobFinds(String name) {
    ShardPattern.Match match = pattern(ShardPattern.DEFAULT).match(name).orElseThrow();

    assertThat(match.isStray()).isTrue();
    assertThat(match.unit()).isEqualTo(UnitId.ofTp(0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model-rank-01-part-0.safetensors",
        "model-rank-x-part-0.safetensors",
        "model-rank--1-part-0.safetensors",
        "model-rank-99999999999-part-0.safetensors",
      })
  void noLoaderLooksForSuchARank(String name) {
    ShardPattern pattern = pattern(ShardPattern.DEFAULT);

    assertThat(pattern.match(name)).isEmpty();
    assertThat(pattern.isUnread(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "model-rank-0-part-0.safetensors.tmp",
        "xmodel-rank-0-part-0.safetensors",
        "model-rank-0.safetensors",
        "modelArank-0-part-0Xsafetensors"
      })
  void otherNamesAreNobodys(String name) {
    ShardPattern pattern = pattern(ShardPattern.DEFAULT);

    assertThat(pattern.match(name)).isEmpty();
    assertThat(pattern.isUnread(name)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "w-{rank}-{part:05d}.st, 3, 7, w-3-00007.st",
    "w-{rank:03}-{part}.st, 3, 7, w-003-7.st",
    "w-{rank:2d}-{part}.st, 3, 7, w- 3-7.st",
    "w-{rank:2}-{part:1d}.st, 123, 45, w-123-45.st",
    "{{{rank}}}-{part:d}.st, 3, 7, {3}-7.st",
    "part{part}of{rank}, 3, 7, part7of3",
  })
  void aFormatIsPythons(String text, int rank, int part, String name) {
    ShardPattern pattern = pattern(text);

    assertThat(pattern.fileName(UnitId.ofTp(rank), part)).isEqualTo(name);
    assertThat(pattern.match(name)).contains(new ShardPattern.Match(UnitId.ofTp(rank), part));
  }

  @Test
  void aPaddedPartIsStrayWhenUnpadded() {
    assertThat(pattern("w-{rank}-{part:05d}.st").match("w-0-7.st").orElseThrow().isStray())
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "model-{part}.safetensors, {rank} is missing",
    "model-{rank}-{part}-{rank}, {rank} stands in it twice",
    "model-{rank}-{part}-{tp}, '{tp} is none of {rank}, {part} and {pp_rank}'",
    "model-{rank}-{}-{part}, '{} is none of'",
    "model-{rank!r}-{part}, '{rank!r} is none of'",
    "model-{rank}{part}, cannot be told apart",
    "model-{rank}00{part}, cannot be told apart",
    "model-{rank}-{part, never closed",
    "model-{rank}-part}, was never opened",
    "model-{rank}-{part:x}, ':x' is no width",
    "model-{rank}-{part:0.5f}, ':0.5f' is no width",
    "{rank}/model-{part}, names a directory",
    "model-[{rank}]-{part}, for wildcards",
  })
  void aPatternThatCannotBeUsedSaysWhy(String text, String why) {
    assertThatThrownBy(() -> ShardPattern.parse(text))
        .isInstanceOfSatisfying(
            CheckpointException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
              assertThat(e.code()).isEqualTo("bad-pattern");
            })
        .hasMessageContainingAll("'" + text + "'", why);
  }

  @Test
  void withoutAPartARankHasOneFile() {
    ShardPattern pattern = pattern("w-TP-{rank:03d}.st");

    assertThat(pattern.match("w-TP-007.st")).contains(new ShardPattern.Match(UnitId.ofTp(7), 0));
    assertThat(pattern.match("w-TP-7.st")).isEmpty();
    assertThat(pattern.glob(UnitId.ofTp(7))).isEqualTo("w-TP-007.st");
  }

  @Property
  void whatASaverWritesItsLoaderReads(
      @ForAll @IntRange(min = 0, max = 2000) int pp,
      @ForAll @IntRange(min = 0, max = Integer.MAX_VALUE - 1) int rank,
      @ForAll @IntRange(min = 0, max = Integer.MAX_VALUE - 1) int part) {
    ShardPattern pattern = pattern("w{pp_rank:02d}_{rank:3}-{part:04}.st");
    UnitId unit = new UnitId(pp, rank);

    assertThat(pattern.match(pattern.fileName(unit, part)))
        .contains(new ShardPattern.Match(unit, part));
  }
}
