package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.layout.ShardedStateLayout;

class ShardedStateDiscoveryTest {

  private static Checkpoint discover(InMemoryFiles files) {
    try {
      return Discovery.discover(files, DiscoveryOptions.defaults());
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  private static CheckpointException refusal(InMemoryFiles files) {
    return refusal(files, DiscoveryOptions.defaults());
  }

  private static CheckpointException refusal(InMemoryFiles files, DiscoveryOptions options) {
    return catchThrowableOfType(
        CheckpointException.class, () -> Discovery.discover(files, options));
  }

  private static List<String> codes(Checkpoint checkpoint) {
    return checkpoint.findings().stream().map(Finding::code).toList();
  }

  private static List<String> codes(CheckpointException refusal) {
    return refusal.problems().stream().map(Finding::code).toList();
  }

  /** Two stages of two ranks with two parts each, and a servekit.json that says so. */
  private static InMemoryFiles staged() {
    InMemoryFiles files = new InMemoryFiles().file("servekit.json", ServekitJson.of(2, 2));
    for (int pp = 0; pp < 2; pp++) {
      for (int tp = 0; tp < 2; tp++) {
        for (int part = 0; part < 2; part++) {
          files.empty("model-pp-" + pp + "-rank-" + tp + "-part-" + part + ".safetensors");
        }
      }
    }
    return files;
  }

  private static InMemoryFiles plain(int tp) {
    InMemoryFiles files = new InMemoryFiles().file("servekit.json", ServekitJson.of(tp, 1));
    for (int rank = 0; rank < tp; rank++) {
      files.empty("model-rank-" + rank + "-part-0.safetensors");
    }
    return files;
  }

  @Test
  void theSamplesAreUnderstoodWithoutAFinding() {
    Checkpoint staged = discover(InMemoryFiles.ofSample("mla-tp2-pp2"));
    Checkpoint plain = discover(InMemoryFiles.ofSample("mla-fp8-tp4"));

    assertThat(staged.layout().kind()).isEqualTo(Layout.SHARDED_STATE);
    assertThat(staged.findings()).isEmpty();
    assertThat(staged.units())
        .extracting(LoadUnit::id)
        .containsExactly(new UnitId(0, 0), new UnitId(0, 1), new UnitId(1, 0), new UnitId(1, 1));
    assertThat(staged.units().get(2).shards())
        .extracting(Shard::name)
        .containsExactly(
            "model-pp-1-rank-0-part-0.safetensors",
            "model-pp-1-rank-0-part-1.safetensors",
            "model-pp-1-rank-0-part-2.safetensors",
            "model-pp-1-rank-0-part-3.safetensors",
            "model-pp-1-rank-0-part-4.safetensors");
    assertThat(staged.sideFiles())
        .extracting(SideFile::name)
        .containsExactly("config.json", "servekit.json", "tokenizer_config.json");
    assertThat(staged.servekit().orElseThrow().ppSize()).hasValue(2);
    assertThat(staged.modelConfig().orElseThrow().modelType()).contains("kimi_k3");
    assertThat(plain.findings()).isEmpty();
    assertThat(plain.units()).hasSize(4);
    assertThat(plain.units().get(3).id()).isEqualTo(UnitId.ofTp(3));
    assertThat(plain.modelConfig().orElseThrow().quantMethod()).contains("fp8");
  }

  @Test
  void noShardIsOpened() {
    InMemoryFiles files = InMemoryFiles.ofSample("mla-tp2-pp2");

    discover(files);

    assertThat(files.reads()).containsExactlyInAnyOrder("servekit.json", "config.json");
  }

  @Test
  void partsAreInOrderOfTheirNumbers() {
    InMemoryFiles files = plain(1);
    for (int part = 1; part < 12; part++) {
      files.empty("model-rank-0-part-" + part + ".safetensors");
    }

    assertThat(discover(files).units().get(0).shards())
        .extracting(Shard::part)
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
  }

  @Test
  void sideFilesAreListedAtAnyDepthWithoutOurOwn() {
    InMemoryFiles files =
        plain(1)
            .file("servekit-caches/triton/a.bin", "a")
            .file(".hidden", "b")
            .file(".shardmend/audit/part-0.parquet", "c")
            .file("shardmend.json", "{}")
            .file("sub/shardmend.json", "d")
            .empty("sub/model-rank-0-part-1.safetensors");

    Checkpoint checkpoint = discover(files);

    assertThat(checkpoint.sideFiles())
        .extracting(SideFile::name)
        .containsExactly(
            ".hidden",
            "servekit-caches",
            "servekit-caches/triton",
            "servekit-caches/triton/a.bin",
            "servekit.json",
            "sub",
            "sub/model-rank-0-part-1.safetensors");
    assertThat(checkpoint.findings()).isEmpty();
  }

  @Test
  void aPathThatDoesNotExistIsAnErrorOfTheCommandLine() {
    CheckpointException e = refusal(InMemoryFiles.nothing());

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
    assertThat(e.code()).isEqualTo("no-such-path");
    assertThat(e).hasMessage("file:/ckpt does not exist; check the path");
  }

  @Test
  void aFileInsteadOfADirectoryIsAnErrorOfTheCommandLine() {
    CheckpointException e = refusal(InMemoryFiles.aFile());

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
    assertThat(e.code()).isEqualTo("not-a-directory");
    assertThat(e).hasMessageContainingAll("file:/ckpt is not a directory", "Name the directory");
  }

  @Test
  void aDirectoryThatCannotBeListedFails() {
    CheckpointException e = refusal(new InMemoryFiles().unreadable(""));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.FAILED);
    assertThat(e)
        .hasMessageContainingAll("file:/ckpt", "Permission denied")
        .hasCauseInstanceOf(java.io.IOException.class);
  }

  @Test
  void aSideFileThatCannotBeReadFails() {
    CheckpointException e = refusal(plain(1).unreadable("servekit.json"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.FAILED);
    assertThat(e.shard()).contains("servekit.json");
    assertThat(e).hasMessageContainingAll("file:/ckpt/servekit.json", "Input/output error");
  }

  @Test
  void anEmptyDirectoryHasNoShards() {
    CheckpointException e = refusal(new InMemoryFiles().file("config.json", "{}"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
    assertThat(e.code()).isEqualTo("no-shards");
    assertThat(e).hasMessageContainingAll("file:/ckpt holds no shards", "Check the path");
  }

  @Test
  void aDirectoryWithOtherNamesThanThePatternHasNoShards() {
    CheckpointException e =
        refusal(plain(2), DiscoveryOptions.defaults().withPattern("w-{rank}-{part}.safetensors"));

    assertThat(e.code()).isEqualTo("no-shards");
    assertThat(e).hasMessageContaining("named like w-{rank}-{part}.safetensors");
  }

  @Test
  void onlyShardsThatNoLoaderLooksForAreNoShards() {
    CheckpointException e = refusal(new InMemoryFiles().empty("model-rank-00-part-0.safetensors"));

    assertThat(e.code()).isEqualTo("no-shards");
    assertThat(e).hasMessageContaining("model-rank-00-part-0.safetensors is there, but no loader");
  }

  @Test
  void aRankWithoutFilesIsRefused() {
    CheckpointException e =
        refusal(
            staged()
                .without(
                    "model-pp-0-rank-1-part-0.safetensors",
                    "model-pp-0-rank-1-part-1.safetensors"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e.code()).isEqualTo("missing-rank");
    assertThat(e)
        .hasMessageContainingAll(
            "file:/ckpt: pipeline stage 0: tp rank 1 has no files",
            "servekit.json says tp_size 2",
            "save the model again");
  }

  @Test
  void withoutServekitTheHighestRankTellsHowManyThereMustBe() {
    CheckpointException e =
        refusal(
            plain(5)
                .without(
                    "servekit.json",
                    "model-rank-1-part-0.safetensors",
                    "model-rank-2-part-0.safetensors"));

    assertThat(codes(e)).containsExactly("missing-rank");
    assertThat(e)
        .hasMessageContainingAll("tp ranks 1 to 2 have no files", "There are files of rank 4");
  }

  @Test
  void aMissingLastRankIsSeenThroughServekit() {
    CheckpointException e = refusal(plain(4).without("model-rank-3-part-0.safetensors"));

    assertThat(e).hasMessageContainingAll("tp rank 3 has no files", "tp_size 4");
  }

  @Test
  void aWholeStageWithoutFilesIsRefused() {
    InMemoryFiles files = staged().file("servekit.json", ServekitJson.of(2, 3));

    CheckpointException e = refusal(files);

    assertThat(codes(e)).containsExactly("missing-rank");
    assertThat(e).hasMessageContainingAll("pipeline stage 2 has no files", "pp_size 3");
  }

  @Test
  void aGapInThePartNumbersIsRefused() {
    InMemoryFiles files =
        staged()
            .without("model-pp-0-rank-0-part-0.safetensors")
            .empty("model-pp-1-rank-1-part-5.safetensors");

    CheckpointException e = refusal(files);

    assertThat(codes(e)).containsExactly("missing-part", "missing-part");
    assertThat(e.shard()).contains("model-pp-0-rank-0-part-0.safetensors");
    assertThat(e)
        .hasMessageContainingAll(
            "2 problems",
            "pp 0, tp 0: model-pp-0-rank-0-part-0.safetensors is missing",
            "pp 1, tp 1: parts 2 to 4 are missing, from model-pp-1-rank-1-part-2.safetensors");
  }

  @Test
  void ranksThatDoNotFitServekitAreRefused() {
    InMemoryFiles files =
        staged()
            .empty("model-pp-0-rank-2-part-0.safetensors", "model-pp-2-rank-0-part-0.safetensors");

    CheckpointException e = refusal(files);

    assertThat(codes(e)).containsExactly("rank-outside", "rank-outside");
    assertThat(e)
        .hasMessageContainingAll(
            "model-pp-0-rank-2-part-0.safetensors is of tp rank 2, but servekit.json says tp_size"
                + " 2",
            "model-pp-2-rank-0-part-0.safetensors is of pipeline stage 2, but servekit.json says"
                + " pp_size 2");
  }

  @Test
  void hostileRankNumbersCostNothing() {
    CheckpointException e =
        refusal(
            plain(1).without("servekit.json").empty("model-rank-2147483646-part-7.safetensors"));

    assertThat(e.code()).isEqualTo("missing-rank");
    assertThat(e).hasMessageContaining("tp ranks 1 to 2147483645");
  }

  @Test
  void stagesThatOverwroteEachOtherAreLost() {
    CheckpointException e = refusal(plain(2).file("servekit.json", ServekitJson.of(2, 2)));

    assertThat(codes(e)).containsExactly("pipeline-lost");
    assertThat(e)
        .hasMessageContainingAll("pp_size 2", "overwrote each other's files", "cannot be repaired");
  }

  @Test
  void filesWithAndWithoutStagesAreRefused() {
    CheckpointException e = refusal(staged().empty("model-rank-0-part-0.safetensors"));

    assertThat(codes(e)).containsExactly("mixed-patterns");
    assertThat(e)
        .hasMessageContainingAll(
            "model-pp-0-rank-0-part-0.safetensors", "model-rank-0-part-0.safetensors");
  }

  @Test
  void someSaveMarkersAreAnUnfinishedSave() {
    InMemoryFiles files =
        staged().empty(".sharded-state-done-pp0-tp0", ".sharded-state-done-pp1-tp1");

    CheckpointException e = refusal(files);

    assertThat(codes(e)).containsExactly("unfinished-save");
    assertThat(e)
        .hasMessageContainingAll(
            "markers of 2 ranks, of 4", ".sharded-state-done-pp1-tp1", "Save the model again");
  }

  @Test
  void allSaveMarkersAreAFinding() {
    InMemoryFiles files = staged();
    for (String rank : List.of("pp0-tp0", "pp0-tp1", "pp1-tp0", "pp1-tp1")) {
      files.empty(".sharded-state-done-" + rank);
    }

    Checkpoint checkpoint = discover(files);

    assertThat(codes(checkpoint)).containsExactly("save-markers");
    assertThat(checkpoint.sideFile(".sharded-state-done-pp0-tp0").orElseThrow().role())
        .isEqualTo(SideFile.Role.SAVE_MARKER);
  }

  @Test
  void moreSaveMarkersThanRanksAreRefused() {
    InMemoryFiles files = staged();
    for (String rank : List.of("pp0-tp0", "pp0-tp1", "pp1-tp0", "pp1-tp1", "pp2-tp0")) {
      files.empty(".sharded-state-done-" + rank);
    }

    assertThat(refusal(files)).hasMessageContaining("of ranks that it does not have");
  }

  @Test
  void aNameThatIsNearlyAMarkerIsASideFile() {
    Checkpoint checkpoint = discover(staged().empty(".sharded-state-done-pp0-tp00"));

    assertThat(checkpoint.findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"model-rank-0-part-0 (copy).safetensors", "model-rank-0-part-x.safetensors"})
  void aStrayFileThatTheLoaderReadsIsRefused(String name) {
    CheckpointException e = refusal(plain(2).empty(name));

    assertThat(codes(e)).containsExactly("stray-shard");
    assertThat(e.shard()).contains(name);
    assertThat(e)
        .hasMessageContainingAll(
            name, "the loader of tp 0 reads it", "model-rank-0-part-*.safetensors");
  }

  @Test
  void aRankThatNoLoaderLooksForIsAFinding() {
    Checkpoint checkpoint = discover(plain(2).empty("model-rank-01-part-0.safetensors"));

    assertThat(codes(checkpoint)).containsExactly("unread-weights");
    assertThat(checkpoint.findings().get(0).message()).contains("model-rank-01-part-0.safetensors");
    assertThat(checkpoint.sideFile("model-rank-01-part-0.safetensors")).isPresent();
  }

  @Test
  void aNameThatNoLoaderLooksForDoesNotHideAModel() {
    Checkpoint checkpoint =
        discover(new InMemoryFiles().empty("model.safetensors", "model-rank-x-part-0.safetensors"));

    assertThat(checkpoint.layout().kind()).isEqualTo(Layout.HUGGINGFACE);
  }

  @Test
  void weightsOfAnotherLayoutAreAFinding() {
    assertThat(codes(discover(plain(1).empty("model.safetensors"))))
        .containsExactly("unread-weights");
  }

  @Test
  void whatIsNoRegularFileIsRefusedUnopened() {
    InMemoryFiles files =
        plain(1)
            .pipe("model-rank-0-part-1.safetensors")
            .danglingLink("model-rank-0-part-2.safetensors")
            .directory("model-rank-0-part-3.safetensors");

    CheckpointException e = refusal(files);

    assertThat(codes(e))
        .containsExactly("not-a-regular-file", "not-a-regular-file", "not-a-regular-file");
    assertThat(e)
        .hasMessageContainingAll(
            "model-rank-0-part-1.safetensors is a pipe, a socket or a device",
            "model-rank-0-part-2.safetensors is a symbolic link that leads to no regular file",
            "model-rank-0-part-3.safetensors is a directory");
    assertThat(files.reads()).doesNotContain("model-rank-0-part-1.safetensors");
  }

  @Test
  void linksAreAllowedButAFinding() {
    InMemoryFiles files =
        plain(1)
            .linkTo("model-rank-0-part-0.safetensors", new byte[10])
            .linkTo("tokenizer.json", new byte[3]);

    Checkpoint checkpoint = discover(files);

    assertThat(codes(checkpoint)).containsExactly("symbolic-links");
    assertThat(checkpoint.findings().get(0).message())
        .contains("2 symbolic links", "model-rank-0-part-0.safetensors, tokenizer.json");
    assertThat(checkpoint.shardBytes()).isEqualTo(10);
  }

  @Test
  void aLinkInASubdirectoryIsNoFinding() {
    assertThat(discover(plain(1).linkTo("sub/x", new byte[1])).findings()).isEmpty();
  }

  @Test
  void aPipeBesideTheShardsIsAFinding() {
    assertThat(codes(discover(plain(1).pipe("sub/socket")))).containsExactly("special-file");
  }

  @Test
  void aMissingServekitIsAFinding() {
    Checkpoint checkpoint = discover(plain(2).without("servekit.json"));

    assertThat(codes(checkpoint)).containsExactly("servekit-missing");
    assertThat(checkpoint.servekit()).isEmpty();
  }

  @Test
  void aMalformedServekitIsAFindingWithItsPlace() {
    Checkpoint checkpoint = discover(plain(2).file("servekit.json", "{\n \"tp_size\": two}"));

    assertThat(codes(checkpoint)).containsExactly("servekit-malformed");
    assertThat(checkpoint.findings().get(0).message()).contains("line 2, column 13");
  }

  @Test
  void aServekitWithOtherKeysIsAFinding() {
    String text = ServekitJson.of(1, 1).replace("\"dp_size\"", "\"dp\"");

    Finding finding = discover(plain(1).file("servekit.json", text)).findings().get(0);

    assertThat(finding.code()).isEqualTo("servekit-malformed");
    assertThat(finding.message()).contains("'dp' is not known", "'dp_size' is missing");
  }

  @Test
  void aServekitOfAnotherLayoutIsAFinding() {
    String text = ServekitJson.of(1, 1).replace("sharded_state", "presharded");

    assertThat(codes(discover(plain(1).file("servekit.json", text))))
        .containsExactly("servekit-contradiction");
  }

  @Test
  void aMalformedConfigIsAFinding() {
    assertThat(codes(discover(plain(1).file("config.json", "[]"))))
        .containsExactly("config-malformed");
  }

  @Test
  void nestingAMillionDeepIsAFindingAndNoOverflow() {
    String deep = "{\"a\":" + "[".repeat(1_000_000);

    Checkpoint checkpoint =
        discover(plain(1).file("config.json", deep).file("servekit.json", deep));

    assertThat(codes(checkpoint)).containsExactly("servekit-malformed", "config-malformed");
    assertThat(checkpoint.findings().get(0).message()).contains("deeper than 256 levels");
  }

  @Test
  void aSideFileBeyondAllMeasureIsNotRead() {
    InMemoryFiles files = plain(1).huge("config.json", 1L << 40);

    CheckpointException e = refusal(files);

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e).hasMessageContainingAll("file:/ckpt/config.json has 1099511627776 bytes");
    assertThat(files.reads()).doesNotContain("config.json");
  }

  @Test
  void anIndexOfFilesThatAreNotThereIsStale() {
    String index = "{\"weight_map\": {\"a\": \"model-00001-of-00002.safetensors\"}}";

    Checkpoint checkpoint = discover(plain(1).file("model.safetensors.index.json", index));

    assertThat(codes(checkpoint)).containsExactly("stale-index");
    assertThat(checkpoint.findings().get(0).message())
        .contains("files that are not there (model-00001-of-00002.safetensors)");
    assertThat(checkpoint.sideFile("model.safetensors.index.json").orElseThrow().role())
        .isEqualTo(SideFile.Role.STALE_INDEX);
  }

  @Test
  void anIndexOfRankFilesIsStaleAndOneOfOtherFilesIsNot() {
    String ofRanks = "{\"weight_map\": {\"a\": \"model-rank-0-part-0.safetensors\"}}";
    String ofOthers = "{\"weight_map\": {\"a\": \"adapter.bin\"}}";

    assertThat(codes(discover(plain(1).file("a.index.json", ofRanks))))
        .containsExactly("stale-index");
    assertThat(codes(discover(plain(1).file("a.index.json", ofOthers).empty("adapter.bin"))))
        .isEmpty();
    Checkpoint ofSomethingElse = discover(plain(1).file("a.index.json", "{\"documents\": 3}"));
    assertThat(ofSomethingElse.findings()).isEmpty();
    assertThat(ofSomethingElse.sideFile("a.index.json").orElseThrow().role())
        .isEqualTo(SideFile.Role.PLAIN);
  }

  @Test
  void aChecksumListIsAFinding() {
    Checkpoint checkpoint = discover(plain(1).file("SHA256SUMS", "00  a"));

    assertThat(codes(checkpoint)).containsExactly("checksum-list");
  }

  @Test
  void aPatternOfTheUsersIsFollowed() throws CheckpointException {
    InMemoryFiles files =
        new InMemoryFiles()
            .file("servekit.json", ServekitJson.of(1, 2))
            .empty("w0_0-000.st", "w1_0-000.st", "w1_0-001.st");

    Checkpoint checkpoint =
        Discovery.discover(
            files, DiscoveryOptions.defaults().withPattern("w{pp_rank}_{rank}-{part:03d}.st"));

    assertThat(checkpoint.units()).hasSize(2);
    assertThat(((ShardedStateLayout) checkpoint.layout()).pattern().text())
        .isEqualTo("w{pp_rank}_{rank}-{part:03d}.st");
  }

  @Test
  void aPatternGoesWithShardedStateOnly() {
    CheckpointException e =
        refusal(
            plain(1),
            DiscoveryOptions.defaults()
                .withPattern("{rank}-{part}")
                .withLayout(Layout.HUGGINGFACE));

    assertThat(e.code()).isEqualTo("bad-option");
  }

  @Test
  void everyProblemIsListed() {
    InMemoryFiles files =
        staged()
            .empty(".sharded-state-done-pp0-tp0", "model-pp-0-rank-0-part-x.safetensors")
            .without("model-pp-1-rank-0-part-0.safetensors");

    assertThat(codes(refusal(files)))
        .containsExactly("stray-shard", "unfinished-save", "missing-part");
  }

  @Test
  void namesMayHoldAnyCharacter() {
    InMemoryFiles files =
        plain(1)
            .file("t\u00e9k\u00e8nizer \ud83d\ude00.json", "x".getBytes(StandardCharsets.UTF_8));

    assertThat(discover(files).sideFiles()).hasSize(2);
  }
}
