package org.shardmend.checkpoint.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shardmend.checkpoint.CheckpointException;
import org.shardmend.checkpoint.Finding;
import org.shardmend.checkpoint.InMemoryFiles;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.CheckpointLayout.NamePlaces;
import org.shardmend.checkpoint.layout.CheckpointLayout.OriginalModel;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.IndexJson;
import org.shardmend.checkpoint.sidefile.PreshardedRead;
import org.shardmend.rules.RuleFamily;

/** What each layout answers, told from its files' names and side files alone. */
class CheckpointLayoutTest {
  private static final String SHARDED_STATE = "mla-tp2-pp2";
  private static final String SHA1 = "presharded-tp2-pp2-sha1";
  private static final String XXH3 = "presharded-tp2-pp2-xxh3";
  private static final String DUMP = "TP-2-sig-49c4b287720e2996";
  private static final String CHECKSUM_JSON = DUMP + "/" + ChecksumJson.FILE_NAME;
  private static final String SINGLE = "model.safetensors";
  private static final UnitId LAST = new UnitId(1, 1);

  /** Tells where names stand: what they are set to in headers, or whose file holds them. */
  private static final NamePlaces<String> PLACES =
      new NamePlaces<>() {
        @Override
        public String inHeaders(String newFormat) {
          return "headers, format '%s'".formatted(newFormat);
        }

        @Override
        public String inSideFile(SideFileNames names) {
          return "side file, of " + String.join(" ", names.files().keySet());
        }
      };

  private static CheckpointLayout discover(InMemoryFiles files, DiscoveryOptions options) {
    try {
      return Discovery.discover(files, options).layout();
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  private static CheckpointLayout sample(String name) {
    return discover(InMemoryFiles.ofSample(name), DiscoveryOptions.defaults());
  }

  private static InMemoryFiles model() {
    return new InMemoryFiles().file("config.json", "{}").empty(SINGLE);
  }

  private static CheckpointLayout huggingFace() {
    return discover(model(), DiscoveryOptions.defaults());
  }

  private static CheckpointLayout indexed(String metadata) {
    String index =
        "{\"metadata\": {%s}, \"weight_map\": {\"a.w\": \"%s\"}}".formatted(metadata, SINGLE);
    return discover(model().file(IndexJson.FILE_NAME, index), DiscoveryOptions.defaults());
  }

  @ParameterizedTest
  @CsvSource({
    SHARDED_STATE + ", SHARDED_STATE",
    SHA1 + ", PRESHARDED_EARLY",
    XXH3 + ", PRESHARDED_MERGED"
  })
  void theFilesTellWhichLoaderReadsThem(String sample, Loader loader) {
    assertThat(sample(sample).loader()).isEqualTo(loader);
  }

  @Test
  void aHuggingFaceModelIsReadByStrictLoaders() {
    assertThat(huggingFace().loader()).isEqualTo(Loader.HUGGINGFACE);
  }

  @Test
  void rulesKnowTheLayoutsByTheSameNames() {
    assertThat(Stream.of(Layout.values()).map(Layout::id))
        .containsExactlyElementsOf(RuleFamily.LAYOUTS);
  }

  @Test
  void namesStandInHeadersOrForADumpInItsSideFile() {
    assertThat(sample(SHARDED_STATE).names(LAST, PLACES)).isEqualTo("headers, format ''");
    assertThat(
            discover(model(), DiscoveryOptions.defaults().settingFormat("pt"))
                .names(UnitId.NONE, PLACES))
        .isEqualTo("headers, format 'pt'");
    assertThat(sample(SHA1).names(LAST, PLACES))
        .isEqualTo(
            "side file, of %1$s/model-00004-rank-002,003.safetensor %1$s/model-00005-rank-003.safetensor"
                .formatted(DUMP));
  }

  @Test
  void severalRanksOfADumpReadOneFile() {
    Map<String, List<RankRead>> reads = sample(SHA1).reads();

    assertThat(reads.get(DUMP + "/model-00004-rank-002,003.safetensor"))
        .extracting(RankRead::unit)
        .containsOnly(new UnitId(1, 0), LAST)
        .isSorted();
    assertThat(sample(SHARDED_STATE).reads()).isEmpty();
    assertThat(huggingFace().reads()).isEmpty();
  }

  @Test
  void onlyADumpLiesInADirectoryOfItsOwn() {
    assertThat(sample(SHA1).innerDirectory()).contains(DUMP);
    assertThat(sample(SHARDED_STATE).innerDirectory()).isEmpty();
    assertThat(huggingFace().innerDirectory()).isEmpty();
  }

  @Test
  void onlyADumpSaysItselfWhatItsBytesAre() {
    assertThat(sample(SHA1).contentKeys()).contains(HashKind.SHA1);
    assertThat(sample(XXH3).contentKeys()).contains(HashKind.XXH3_128);
    assertThat(sample(SHARDED_STATE).contentKeys()).isEmpty();
    assertThat(huggingFace().contentKeys()).isEmpty();
  }

  @Test
  void whatAnOriginalModelIsGoodForDependsOnTheLayout() {
    assertThat(sample(SHARDED_STATE).originalModel()).isEqualTo(OriginalModel.CUT);
    assertThat(sample(SHA1).originalModel()).isEqualTo(OriginalModel.NOT_READ);
    assertThat(huggingFace().originalModel()).isEqualTo(OriginalModel.ALIKE);
  }

  @ParameterizedTest
  @CsvSource({SHA1, XXH3})
  void aDumpWhoseNamesChangeGetsSumsThatItsLoaderAccepts(String sample) throws CheckpointException {
    PreshardedLayout dump = (PreshardedLayout) sample(sample);

    byte[] renamed =
        dump.renamed(
                (unit, name) ->
                    Optional.of(unit.equals(LAST) ? name.replace("lm_head", "head") : name))
            .get(CHECKSUM_JSON);

    ChecksumJson after = ChecksumJson.read(renamed, CHECKSUM_JSON);
    assertThat(new PreshardedLayout(after, DUMP + "/", units()).wrongSums()).isEmpty();
    assertThat(names(dump.checksums(), 3)).contains("language_model.lm_head.weight");
    assertThat(names(after, 3))
        .contains("language_model.head.weight")
        .doesNotContain("language_model.lm_head.weight");
    assertThat(names(after, 2)).isEqualTo(names(dump.checksums(), 2));
  }

  @Test
  void aDumpWhoseLoaderWouldStopIsNotWritten() {
    PreshardedLayout dump = (PreshardedLayout) sample(SHA1);
    String only = names(dump.checksums(), 3).get(0);

    assertThatThrownBy(
            () ->
                dump.renamed((unit, name) -> Optional.of(name).filter(kept -> !kept.equals(only))))
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining(CHECKSUM_JSON);
  }

  @Test
  void aDumpNamedByHandHasTheWrongSum() {
    InMemoryFiles files = InMemoryFiles.ofSample(SHA1);
    String name = names(((PreshardedLayout) sample(SHA1)).checksums(), 0).get(0);
    files.file(
        CHECKSUM_JSON,
        new String(files.content(CHECKSUM_JSON), StandardCharsets.UTF_8)
            .replace('"' + name + '"', "\"by.hand\""));

    List<Finding> wrong = discover(files, DiscoveryOptions.defaults()).wrongSums();

    assertThat(wrong).isNotEmpty();
    assertThat(wrong.get(0).shard()).isEqualTo(CHECKSUM_JSON);
    assertThat(wrong.get(0).message()).contains("the sum of rank 0 (");
  }

  @Test
  void otherLayoutsHaveNoSumsAndKeepNamesInNoSideFileOfTheirOwn() throws CheckpointException {
    for (CheckpointLayout layout : List.of(sample(SHARDED_STATE), huggingFace())) {
      assertThat(layout.wrongSums()).isEmpty();
      assertThat(layout.digests()).isEmpty();
      assertThat(layout.renamed((unit, name) -> Optional.empty())).isEmpty();
    }
    assertThat(sample(SHA1).digests()).containsOnlyKeys(CHECKSUM_JSON);
  }

  @Test
  void onlyAnIndexStatesATotal() {
    assertThat(indexed("\"total_size\": 20").wrongTotal(20)).isEmpty();
    assertThat(indexed("\"total_size\": 20").wrongTotal(21)).isPresent();
    assertThat(indexed("").wrongTotal(21)).isEmpty();
    assertThat(huggingFace().wrongTotal(21)).isEmpty();
    assertThat(sample(SHARDED_STATE).wrongTotal(21)).isEmpty();
    assertThat(sample(SHA1).wrongTotal(21)).isEmpty();
  }

  @Test
  void anIndexIsMadeWhereSeveralFilesNeedOneOrOneIsThere() {
    TreeMap<String, String> tensors = new TreeMap<>(Map.of("b.w", SINGLE));

    assertThat(huggingFace().newIndex(tensors, 1)).isEmpty();
    assertThat(huggingFace().newIndex(tensors, 2)).isPresent();
    assertThat(indexed("").newIndex(tensors, 1).orElseThrow().weightMap()).isEqualTo(tensors);
    assertThat(huggingFace().indexFile()).contains(IndexJson.FILE_NAME);
    for (CheckpointLayout layout : List.of(sample(SHARDED_STATE), sample(SHA1))) {
      assertThat(layout.newIndex(tensors, 2)).isEmpty();
      assertThat(layout.indexFile()).isEmpty();
      assertThat(layout.index()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "model-rank-0-part-0.safetensors, true",
    "model.safetensors, true",
    "checksum.json, true",
    "model-00000-rank-000.safetensor, false",
    "config.json, false"
  })
  void aFilesNameIsASignOfACheckpoint(String name, boolean sign) {
    assertThat(Layout.isSign(name)).isEqualTo(sign);
  }

  private static List<UnitId> units() {
    return List.of(new UnitId(0, 0), new UnitId(0, 1), new UnitId(1, 0), LAST);
  }

  private static List<String> names(ChecksumJson checksums, int rank) {
    return checksums.reads().get(rank).stream().map(PreshardedRead::name).toList();
  }
}
