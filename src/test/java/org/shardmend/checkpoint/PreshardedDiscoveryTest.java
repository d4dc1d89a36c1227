package org.shardmend.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.layout.Checkpoint;
import org.shardmend.checkpoint.layout.Discovery;
import org.shardmend.checkpoint.layout.DiscoveryOptions;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.checkpoint.layout.PreshardedLayout;
import org.shardmend.checkpoint.sidefile.ChecksumJson;
import org.shardmend.checkpoint.sidefile.HashKind;
import org.shardmend.checkpoint.sidefile.PreshardedFile;
import org.shardmend.checkpoint.sidefile.PreshardedTensors;
import org.shardmend.safetensors.Header;
import org.shardmend.safetensors.UnknownDtypes;

class PreshardedDiscoveryTest {
  private static final String SHA1 = "presharded-tp2-pp2-sha1";
  private static final String XXH3 = "presharded-tp2-pp2-xxh3";
  private static final String FLOAT_TYPE = "\"model_dtype\": \"torch.bfloat16\"";
  private static final String OTHER_TYPE = "\"model_dtype\": \"torch.float16\"";
  private static final String DUMP = "TP-2-sig-49c4b287720e2996";

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

  private static List<String> codes(CheckpointException refusal) {
    return refusal.problems().stream().map(Finding::code).toList();
  }

  /** The sample's dump as the checkpoint itself, and not as a directory of it. */
  private static InMemoryFiles dumpItself() {
    InMemoryFiles root = InMemoryFiles.ofSample(SHA1);
    InMemoryFiles dump = new InMemoryFiles("file:/samples/" + DUMP);
    for (FileEntry entry : discover(root).sideFiles().stream().map(SideFile::entry).toList()) {
      if (entry.kind() == FileEntry.Kind.FILE) {
        dump.file(entry.fileName(), root.content(entry.name()));
      }
    }
    for (Shard shard : discover(root).shards()) {
      dump.file(shard.name().substring(shard.name().indexOf('/') + 1), root.content(shard.name()));
    }
    return dump;
  }

  private static InMemoryFiles edited(String what, String into) {
    return edited(SHA1, what, into);
  }

  private static InMemoryFiles edited(String sample, String what, String into) {
    InMemoryFiles files = InMemoryFiles.ofSample(sample);
    String name = DUMP + "/checksum.json";
    String text = files.text(name);
    assertThat(text).contains(what);
    return files.file(name, text.replace(what, into));
  }

  @ParameterizedTest
  @ValueSource(strings = {SHA1, XXH3})
  void theSamplesAreUnderstoodWithoutAFinding(String sample) throws CheckpointException {
    InMemoryFiles files = InMemoryFiles.ofSample(sample);

    Checkpoint checkpoint = discover(files);

    assertThat(checkpoint.layout().kind()).isEqualTo(Layout.PRESHARDED);
    assertThat(checkpoint.findings()).isEmpty();
    assertThat(checkpoint.layout().innerDirectory()).contains(DUMP);
    assertThat(checkpoint.units())
        .extracting(LoadUnit::id)
        .containsExactly(new UnitId(0, 0), new UnitId(0, 1), new UnitId(1, 0), new UnitId(1, 1));
    assertThat(checkpoint.units().get(3).shards())
        .extracting(Shard::name)
        .containsExactly(
            DUMP + "/model-00004-rank-002,003.safetensor",
            DUMP + "/model-00005-rank-003.safetensor");
    assertThat(checkpoint.shards()).hasSize(6);
    assertThat(checkpoint.sideFile(DUMP + "/READY").orElseThrow().role())
        .isEqualTo(SideFile.Role.READY);
    assertThat(checkpoint.sideFile(DUMP + "/checksum.json").orElseThrow().role())
        .isEqualTo(SideFile.Role.CHECKSUM_JSON);
    assertThat(files.reads()).containsExactly(DUMP + "/checksum.json");
  }

  @ParameterizedTest
  @CsvSource({SHA1 + ", SHA1", "presharded-tp2-pp2-xxh3, XXH3_128"})
  void everyTensorIsWhereChecksumJsonSaysAndAsLong(String sample, HashKind hash)
      throws CheckpointException {
    InMemoryFiles files = InMemoryFiles.ofSample(sample);
    Checkpoint checkpoint = discover(files);
    ChecksumJson checksums = ((PreshardedLayout) checkpoint.layout()).checksums();
    Map<String, Header> headers = new TreeMap<>();
    for (Shard shard : checkpoint.shards()) {
      headers.put(
          shard.name().substring(shard.name().indexOf('/') + 1),
          HeaderScan.read(files, UnitId.NONE, shard, UnknownDtypes.REFUSE).header());
    }

    assertThat(checksums.hash()).isEqualTo(hash);
    for (PreshardedFile file : checksums.files()) {
      assertThat(PreshardedTensors.check(file, file.filename(), headers.get(file.filename())))
          .isEmpty();
    }
    assertThat(PreshardedTensors.locate(checksums.reads().get(2), headers))
        .hasSameSizeAs(checksums.reads().get(2));
  }

  @Test
  void theDumpItselfCanBeNamed() {
    Checkpoint checkpoint = discover(dumpItself());

    assertThat(checkpoint.layout().innerDirectory()).isEmpty();
    assertThat(checkpoint.findings()).isEmpty();
    assertThat(checkpoint.units().get(0).shards().get(0).name())
        .isEqualTo("model-00000-rank-000.safetensor");
  }

  @Test
  void aDumpWithoutReadyIsUnfinished() {
    CheckpointException root = refusal(InMemoryFiles.ofSample(SHA1).without(DUMP + "/READY"));
    CheckpointException itself = refusal(dumpItself().without("READY"));

    assertThat(root.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(codes(root)).containsExactly("unfinished-dump");
    assertThat(root).hasMessageContainingAll(DUMP + " has no READY", "never finished");
    assertThat(codes(itself)).containsExactly("unfinished-dump");
  }

  @Test
  void aReadyThatIsADirectoryIsNoneForTheEngineWhichWouldDumpAnew() {
    CheckpointException root =
        refusal(InMemoryFiles.ofSample(SHA1).without(DUMP + "/READY").directory(DUMP + "/READY"));
    CheckpointException itself = refusal(dumpItself().without("READY").directory("READY"));

    assertThat(codes(root)).containsExactly("not-a-regular-file");
    assertThat(root).hasMessageContaining(DUMP + "/READY is no regular file");
    assertThat(codes(itself)).containsExactly("not-a-regular-file");
  }

  @Test
  void aDumpWithoutChecksumJsonIsRefused() {
    CheckpointException e = refusal(InMemoryFiles.ofSample(SHA1).without(DUMP + "/checksum.json"));

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.REFUSED);
    assertThat(e).hasMessageContaining(DUMP + "/checksum.json is missing");
  }

  @Test
  void twoDumpsThatFitTheSameLaunchAreRefused() {
    InMemoryFiles files = InMemoryFiles.ofSample(SHA1);
    for (String name : List.of("READY", "checksum.json")) {
      files.file("TP-2-sig-ffff000000000000/" + name, files.content(DUMP + "/" + name));
    }

    CheckpointException e = refusal(files);

    assertThat(codes(e)).containsExactly("ambiguous-dumps");
    assertThat(e)
        .hasMessageContainingAll(DUMP, "TP-2-sig-ffff000000000000", "servekit refuses them");
  }

  @Test
  void twoDumpsOfDifferentLaunchesNeedAChoice() {
    InMemoryFiles files = InMemoryFiles.ofSample(SHA1);
    files.file("TP-1-sig-ffff000000000000/READY", "");
    files.file(
        "TP-1-sig-ffff000000000000/checksum.json",
        files
            .text(DUMP + "/checksum.json")
            .replace("\"tp\": 2", "\"tp\": 1")
            .replace("\"pp\": 2", "\"pp\": 4"));

    CheckpointException e = refusal(files);

    assertThat(e.reason()).isEqualTo(CheckpointException.Reason.USAGE);
    assertThat(e.code()).isEqualTo("several-dumps");
  }

  @Test
  void anUnfinishedDumpBesideAFinishedOneIsAFinding() {
    InMemoryFiles files =
        InMemoryFiles.ofSample(SHA1).empty("TP-4-sig-ffff000000000000/checksum.json");

    Checkpoint checkpoint = discover(files);

    assertThat(codes(checkpoint)).containsExactly("other-dump-unfinished");
    assertThat(checkpoint.layout().innerDirectory()).contains(DUMP);
  }

  @Test
  void aMissingShardIsRefused() {
    CheckpointException e =
        refusal(
            InMemoryFiles.ofSample(SHA1).without(DUMP + "/model-00001-rank-000,001.safetensor"));

    assertThat(codes(e)).containsExactly("missing-shard");
    assertThat(e).hasMessageContaining("model-00001-rank-000,001.safetensor is missing");
  }

  @Test
  void aPipeInPlaceOfAShardIsRefused() {
    CheckpointException e =
        refusal(InMemoryFiles.ofSample(SHA1).pipe(DUMP + "/model-00000-rank-000.safetensor"));

    assertThat(codes(e)).containsExactly("not-a-regular-file");
  }

  @Test
  void aShardThatChecksumJsonDoesNotNameIsAFinding() {
    assertThat(codes(discover(InMemoryFiles.ofSample(SHA1).empty(DUMP + "/model-9.safetensor"))))
        .containsExactly("unread-weights");
  }

  @Test
  void aLinkedShardIsAFinding() {
    InMemoryFiles files = InMemoryFiles.ofSample(SHA1);
    String name = DUMP + "/model-00000-rank-000.safetensor";
    files.linkTo(name, files.content(name));

    assertThat(codes(discover(files))).containsExactly("symbolic-links");
  }

  @Test
  void aDirectoryWithAnotherSignatureThanItsConfigIsAFindingInMergedBuilds() {
    Checkpoint checkpoint = discover(edited(XXH3, FLOAT_TYPE, OTHER_TYPE));

    assertThat(codes(checkpoint)).containsExactly("dump-signature");
    assertThat(checkpoint.findings().get(0).message())
        .contains(DUMP, "its shard_config gives TP-2-sig-");
    assertThat(FindingCode.stopsLoaders(checkpoint.findings().get(0))).isTrue();
    assertThat(codes(discover(edited(SHA1, FLOAT_TYPE, OTHER_TYPE)))).isEmpty();
  }

  @Test
  void aMergedBuildLooksForTheDirectoryThatTheLaunchGives() {
    InMemoryFiles root = InMemoryFiles.ofSample(XXH3);
    InMemoryFiles dump = new InMemoryFiles("file:/elsewhere/copy-of-a-dump");
    for (Shard shard : discover(root).shards()) {
      dump.file(shard.name().substring(shard.name().indexOf('/') + 1), root.content(shard.name()));
    }
    dump.file("READY", "{}").file("checksum.json", root.text(DUMP + "/checksum.json"));

    assertThat(codes(discover(dump))).containsExactly("dump-signature");
  }

  @Test
  void aMergedDumpThatDoesNotSayForWhichLaunchItIsIsAFinding() {
    String without = "\"other_config\"";

    assertThat(codes(discover(edited(XXH3, "\"shard_config\"", without))))
        .containsExactly("shard-config-missing");
    assertThat(codes(discover(edited(SHA1, "\"shard_config\"", without)))).isEmpty();
  }

  @Test
  void aLaunchThatDoesNotGiveTheWorldSizeIsRefused() {
    assertThat(refusal(edited("\"pp\": 2", "\"pp\": 3")))
        .hasMessageContaining("world_size is 4, but the dump was made for tp 2 and pp 3");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TP-2-DP-1-PP-2",
        "TP-2-PP-2-sig-0011223344556677",
        "TP-2-PP-2-DenseTP-1-dtype-compressed-tensors-RedEP-4-sig-0011223344556677",
        "TP-2",
      })
  void anEarlyDumpTakesItsSizesFromTheDirectorysName(String directory) {
    InMemoryFiles sample = InMemoryFiles.ofSample(SHA1);
    String text = sample.text(DUMP + "/checksum.json");
    int from = text.indexOf("  \"shard_config\"");
    InMemoryFiles files = new InMemoryFiles();
    for (Shard shard : discover(sample).shards()) {
      files.file(shard.name().replace(DUMP, directory), sample.content(shard.name()));
    }
    files
        .empty(directory + "/READY")
        .file(
            directory + "/checksum.json",
            text.substring(0, from) + text.substring(text.indexOf("  \"files\"")));

    Checkpoint checkpoint = discover(files);

    assertThat(checkpoint.findings()).isEmpty();
    assertThat(checkpoint.units().get(3).id()).isEqualTo(new UnitId(1, 1));
  }

  @Test
  void aServekitOfAnotherSizeIsAFinding() {
    InMemoryFiles files =
        InMemoryFiles.ofSample(SHA1)
            .file("servekit.json", ServekitJson.of(4, 2).replace("sharded_state", "presharded"));

    Checkpoint checkpoint = discover(files);

    assertThat(codes(checkpoint)).containsExactly("servekit-contradiction");
    assertThat(checkpoint.findings().get(0).message()).contains("tp_size 4, but the dump has tp 2");
  }

  @Test
  void aDumpInsideItsModelsDirectoryNeedsAChoice() {
    CheckpointException e = refusal(InMemoryFiles.ofSample(SHA1).empty("model.safetensors"));

    assertThat(e.code()).isEqualTo("several-layouts");
    assertThat(e).hasMessageContainingAll("presharded and huggingface", "TP-");
  }

  @Test
  void theLayoutChoosesBetweenADumpAndItsModel() throws CheckpointException {
    InMemoryFiles files = InMemoryFiles.ofSample(SHA1).empty("model.safetensors");

    assertThat(
            Discovery.discover(files, DiscoveryOptions.defaults().withLayout(Layout.HUGGINGFACE))
                .units())
        .hasSize(1);
    assertThat(
            Discovery.discover(files, DiscoveryOptions.defaults().withLayout(Layout.PRESHARDED))
                .units())
        .hasSize(4);
  }
}
