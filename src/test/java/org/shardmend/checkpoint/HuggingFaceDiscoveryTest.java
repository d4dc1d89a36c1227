package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.finding.IndexCheck;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.sidefile.IndexJson;

class HuggingFaceDiscoveryTest {
  private static final String FIRST = "model-00001-of-00002.safetensors";
  private static final String SECOND = "model-00002-of-00002.safetensors";
  private static final String INDEX =
      """
      {
        "metadata": {
          "total_size": 20,
          "other": 1.0
        },
        "weight_map": {
          "a.w": "%s",
          "b.w": "%s",
          "c.w": "%s"
        }
      }
      """
          .formatted(FIRST, SECOND, FIRST);

  private static InMemoryFiles indexed() {
    return new InMemoryFiles()
        .file("config.json", "{}")
        .file(IndexJson.FILE_NAME, INDEX)
        .empty(FIRST, SECOND);
  }

  private static Checkpoint discover(InMemoryFiles files) {
    try {
      return Discovery.discover(files, DiscoveryOptions.defaults());
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  private static CheckpointException refusal(InMemoryFiles files) {
    return catchThrowableOfType(
        CheckpointException.class, () -> Discovery.discover(files, DiscoveryOptions.defaults()));
  }

  private static List<String> codes(Checkpoint checkpoint) {
    return checkpoint.findings().stream().map(Finding::code).toList();
  }

  private static IndexJson index(String json) {
    try {
      return IndexJson.read(json.getBytes(StandardCharsets.UTF_8), IndexJson.FILE_NAME);
    } catch (CheckpointException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anIndexedModelIsOneUnit() {
    Checkpoint checkpoint = discover(indexed());

    assertThat(checkpoint.layout().kind()).isEqualTo(Layout.HUGGINGFACE);
    assertThat(checkpoint.findings()).isEmpty();
    assertThat(checkpoint.units()).hasSize(1);
    assertThat(checkpoint.units().get(0).id()).isEqualTo(UnitId.NONE);
    assertThat(checkpoint.shards()).extracting(Shard::name).containsExactly(FIRST, SECOND);
    assertThat(checkpoint.layout().index().orElseThrow().totalSize()).hasValue(20);
    assertThat(checkpoint.sideFile(IndexJson.FILE_NAME).orElseThrow().role())
        .isEqualTo(SideFile.Role.INDEX);
  }

  @Test
  void aSingleFileNeedsNoIndex() {
    Checkpoint checkpoint = discover(new InMemoryFiles().empty("model.safetensors"));

    assertThat(checkpoint.findings()).isEmpty();
    assertThat(checkpoint.shards()).extracting(Shard::name).containsExactly("model.safetensors");
    assertThat(checkpoint.layout().index()).isEmpty();
  }

  @Test
  void linksOfADownloadCacheAreNoFinding() {
    Checkpoint checkpoint = discover(new InMemoryFiles().linkTo("model.safetensors", new byte[8]));

    assertThat(checkpoint.findings()).isEmpty();
  }

  @Test
  void numberedFilesWithoutAnIndexAreAFinding() {
    Checkpoint checkpoint = discover(indexed().without(IndexJson.FILE_NAME));

    assertThat(codes(checkpoint)).containsExactly("index-missing");
    assertThat(checkpoint.shards()).hasSize(2);
  }

  @Test
  void aMissingNumberWithoutAnIndexIsRefused() {
    CheckpointException e = refusal(new InMemoryFiles().empty("model-00002-of-00004.safetensors"));

    assertThat(e.problems()).extracting(Finding::code).containsOnly("missing-shard");
    assertThat(e).hasMessageContainingAll("number 1 is missing", "numbers 3 to 4 are missing");
  }

  @Test
  void numberedFilesOfTwoModelsAreRefused() {
    assertThat(
            refusal(new InMemoryFiles().empty(FIRST, SECOND, "model-00001-of-00003.safetensors")))
        .hasMessageContaining("-of-00002, -of-00003");
  }

  @Test
  void aShardThatTheIndexNamesButIsMissingIsRefused() {
    CheckpointException e = refusal(indexed().without(SECOND));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e.code()).isEqualTo("missing-shard");
    assertThat(e.shard()).contains(SECOND);
    assertThat(e).hasMessageContaining(SECOND + " is missing, though " + IndexJson.FILE_NAME);
  }

  @Test
  void aShardThatTheIndexDoesNotNameIsAFinding() {
    Checkpoint checkpoint = discover(indexed().empty("model-extra.safetensors"));

    assertThat(codes(checkpoint)).containsExactly("shard-not-in-index");
    assertThat(checkpoint.shards()).hasSize(2);
  }

  @Test
  void anotherFileBesideASingleOneIsAFinding() {
    assertThat(codes(discover(new InMemoryFiles().empty("model.safetensors", "x.safetensors"))))
        .containsExactly("unread-weights");
  }

  @Test
  void weightsOfOtherFormatsBesideAnIndexAreNoFinding() {
    Checkpoint checkpoint =
        discover(
            indexed()
                .empty("consolidated.safetensors", "adapter_model.safetensors", "README.md")
                .empty("consolidated-00001-of-00002.safetensors"));

    assertThat(checkpoint.findings()).isEmpty();
  }

  @Test
  void aSingleFileBesideAnIndexOfOthersIsASecondModel() {
    Checkpoint checkpoint = discover(indexed().empty("model.safetensors"));

    assertThat(codes(checkpoint)).containsExactly("second-model");
    assertThat(checkpoint.shards()).hasSize(2);
  }

  @Test
  void anIndexWithoutMetadataIsAFinding() {
    assertThat(
            codes(
                discover(
                    indexed()
                        .file(
                            IndexJson.FILE_NAME,
                            "{\"weight_map\": {\"a\": \"%s\", \"b\": \"%s\"}}"
                                .formatted(FIRST, SECOND)))))
        .containsExactly("index-metadata");
  }

  @ParameterizedTest
  @ValueSource(strings = {"model-00001-of-00004.safetensors", "pytorch_model.safetensors"})
  void anIndexOfFilesThatNeverBelongedHereIsOfAnotherSave(String named) {
    CheckpointException e =
        refusal(
            indexed()
                .file(IndexJson.FILE_NAME, INDEX.replace(FIRST, named).replace(SECOND, named)));

    assertThat(e.problems()).extracting(Finding::code).containsExactly("index-of-another-save");
    assertThat(e).hasMessageContainingAll(named, "files 1 to 2 of 2", "complete");
  }

  @Test
  void anIndexOfFilesBesideASingleModelIsOfAnotherSave() {
    assertThat(refusal(indexed().without(FIRST).empty("model.safetensors")).code())
        .isEqualTo("index-of-another-save");
  }

  @ParameterizedTest
  @ValueSource(strings = {"diffusion_pytorch_model", "consolidated", "adapter_model"})
  void aModelUnderAnotherNameIsReadByItsOwnIndex(String stem) {
    String first = FIRST.replace("model-", stem + "-");
    String second = SECOND.replace("model-", stem + "-");
    Checkpoint checkpoint =
        discover(
            new InMemoryFiles()
                .file(
                    stem + ".safetensors.index.json",
                    INDEX.replace(FIRST, first).replace(SECOND, second))
                .empty(first, second));

    assertThat(checkpoint.layout().kind()).isEqualTo(Layout.HUGGINGFACE);
    assertThat(checkpoint.shards()).extracting(Shard::name).containsExactly(first, second);
    assertThat(checkpoint.findings()).isEmpty();
  }

  @Test
  void aPatternWithoutNumbersNamesAModel() throws CheckpointException {
    InMemoryFiles files =
        new InMemoryFiles().empty("a.safetensors", "b-00001-of-00001.safetensors");

    assertThat(named(files, "a.safetensors").shards())
        .extracting(Shard::name)
        .containsExactly("a.safetensors");
    assertThat(named(files, "b.safetensors").shards())
        .extracting(Shard::name)
        .containsExactly("b-00001-of-00001.safetensors");
  }

  private static Checkpoint named(InMemoryFiles files, String pattern) throws CheckpointException {
    return Discovery.discover(files, DiscoveryOptions.defaults().withPattern(pattern));
  }

  @Test
  void whatIsThereIsNamedWithThePatternThatReadsIt() throws CheckpointException {
    InMemoryFiles files =
        new InMemoryFiles()
            .empty("consolidated.safetensors", "w-TP-000.safetensors", "w-TP-001.safetensors")
            .empty("pytorch_model.bin");

    CheckpointException e = refusal(files);

    assertThat(e.code()).isEqualTo("no-shards");
    assertThat(e)
        .hasMessageContainingAll(
            "consolidated.safetensors: --pattern consolidated.safetensors reads that model",
            "w-TP-000.safetensors, w-TP-001.safetensors: --pattern 'w-TP-{rank:03d}.safetensors'",
            "pytorch_model.bin: Shardmend works on safetensors files only");
    assertThat(named(files, "w-TP-{rank:03d}.safetensors").units()).hasSize(2);
  }

  @Test
  void theDirectoriesAreNamedWhereNoWeightsLie() {
    assertThat(refusal(new InMemoryFiles().directory("transformer").directory("vae")))
        .hasMessageContaining("directories (transformer/, vae/)");
  }

  @Test
  void aPointerInPlaceOfAnIndexSaysSo() {
    assertThat(
            refusal(
                indexed()
                    .file(
                        IndexJson.FILE_NAME,
                        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n")))
        .hasMessageContaining("it is a Git LFS pointer (7 bytes were never fetched)");
  }

  @Test
  void aPipeInPlaceOfAShardIsRefused() {
    assertThat(refusal(indexed().pipe(FIRST)).code()).isEqualTo("not-a-regular-file");
  }

  @ParameterizedTest
  @ValueSource(strings = {"../x", "/etc/passwd", "sub/x", "..", "a\\u0000b"})
  void aNameOutsideTheCheckpointIsRefused(String name) {
    String json = "{\"weight_map\": {\"a\": \"" + name + "\"}}";

    CheckpointException e = refusal(indexed().file(IndexJson.FILE_NAME, json));

    assertThat(e.code()).isEqualTo("unsafe-name");
    assertThat(e).hasMessageContaining("no plain name");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"weight_map\": {\"a\": 1}}",
        "{\"weight_map\": {}",
        "{\"a\": 1}x"
      })
  void aMalformedIndexIsRefused(String json) {
    CheckpointException e = refusal(indexed().file(IndexJson.FILE_NAME, json));

    assertThat(e.code()).isEqualTo("malformed-side-file");
    assertThat(e.shard()).contains(IndexJson.FILE_NAME);
  }

  @Test
  void aTensorTwiceInTheIndexIsRefused() {
    String json = "{\"weight_map\": {\"a\": \"x\", \"a\": \"y\"}}";

    assertThat(refusal(indexed().file(IndexJson.FILE_NAME, json)))
        .hasMessageContaining("Duplicate field 'a'");
  }

  @Test
  void aChecksumListIsAFinding() {
    assertThat(codes(discover(indexed().empty("SHA256SUMS")))).containsExactly("checksum-list");
  }

  @Test
  void anotherIndexThatNamesMissingFilesIsStale() {
    String json = "{\"weight_map\": {\"a\": \"pytorch_model-00001-of-00002.bin\"}}";

    assertThat(codes(discover(indexed().file("pytorch_model.bin.index.json", json))))
        .containsExactly("stale-index");
  }

  @Test
  void withoutChangesTheIndexStaysAsItIs() {
    byte[] rewritten = index(INDEX).rewritten(Optional::of, 20);

    assertThat(new String(rewritten, StandardCharsets.UTF_8)).isEqualTo(INDEX);
  }

  @Test
  void renamesDropsAndTheTotalAreWrittenAndNothingElse() {
    byte[] rewritten =
        index(INDEX)
            .rewritten(
                name ->
                    switch (name) {
                      case "a.w" -> Optional.of("z\u00e9.w");
                      case "b.w" -> Optional.empty();
                      default -> Optional.of(name);
                    },
                12);

    assertThat(new String(rewritten, StandardCharsets.UTF_8))
        .isEqualTo(
            INDEX
                .replace("a.w", "z\\u00e9.w")
                .replace("    \"b.w\": \"" + SECOND + "\",\n", "")
                .replace("20", "12"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"weight_map\":{\"a\":\"x\",\"b\":\"y\"},\"l\":[1,2,{}]}",
        "{\"weight_map\": {\"a\": \"x\", \"b\": \"y\"}, \"l\": [1, 2, [], {}]}",
        "{\n    \"weight_map\": {\n        \"\u00e9\": \"x\"\n    }\n}\n",
      })
  void theStyleOfTheDocumentIsKept(String json) {
    assertThat(new String(index(json).rewritten(Optional::of, 1), StandardCharsets.UTF_8))
        .isEqualTo(json);
  }

  @Test
  void halfASurrogatePairIsKeptAsItsEscape() {
    String json = "{\"weight_map\": {\"\\ud800\": \"\u00e9\"}, \"x\": \"\\ud83d\\ude00 \\udc00\"}";

    assertThat(new String(index(json).rewritten(Optional::of, 1), StandardCharsets.UTF_8))
        .isEqualTo(json.replace("\u00e9", "\\u00e9"));
  }

  @Test
  void aTotalWithAFractionOfZeroIsWhole() {
    assertThat(index("{\"metadata\": {\"total_size\": 20.0}, \"weight_map\": {}}").totalSize())
        .hasValue(20);
    assertThat(index("{\"metadata\": {\"total_size\": NaN}, \"weight_map\": {}}").totalSize())
        .isEmpty();
    assertThat(
            index("{\"metadata\": {\"total_size\": 1e999999999}, \"weight_map\": {}}").totalSize())
        .isEmpty();
  }

  @Test
  void tensorsThatTheIndexPlacesElsewhereAreAFinding() {
    IndexCheck check = new IndexCheck(index(INDEX));

    List<Finding> findings =
        check.check(new TestShard().bf16("a.w", 1).bf16("b.w", 1).bf16("d.w", 1).scanned(FIRST));

    assertThat(findings)
        .extracting(Finding::code)
        .containsExactly("index-misplaced", "index-tensor-missing");
    assertThat(findings.get(0).message())
        .contains("'b.w' (placed in " + SECOND + ")", "'d.w' (not named)");
    assertThat(findings.get(1).message()).contains("'c.w'");
  }

  @Test
  void aShardAsTheIndexDescribesItHasNoFinding() {
    assertThat(
            new IndexCheck(index(INDEX))
                .check(new TestShard().bf16("c.w", 1).bf16("a.w", 1).scanned(FIRST)))
        .isEmpty();
    assertThat(IndexCheck.checkTotal(index(INDEX), 20)).isEmpty();
    assertThat(IndexCheck.checkTotal(index("{\"weight_map\": {}}"), 20)).isEmpty();
    assertThat(IndexCheck.checkTotal(index(INDEX), 21).orElseThrow().message())
        .contains("total_size 20", "21 bytes");
  }
}
