package org.shardmend.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.Finding;
import org.shardmend.storage.FileStatus;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Location;
import org.shardmend.storage.NotReplaceableException;
import org.shardmend.storage.Store;
import org.shardmend.storage.StoreTraits;

/** The sentences G1 to G5 of {@code journal.md}. */
class InPlaceGuardsTest {
  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private Path checkpoint;
  private Path shard;

  @BeforeEach
  void createShard() throws IOException {
    checkpoint = Files.createDirectory(directory.resolve("model"));
    shard = Files.write(checkpoint.resolve("a.safetensors"), new byte[100]);
  }

  private List<Finding> guard(boolean allowHardLinks, String... names) throws IOException {
    List<InPlaceCandidate> files = new java.util.ArrayList<>();
    for (String name : names) {
      files.add(InPlaceCandidate.overwritten(store, checkpoint.toString(), name));
    }
    return InPlaceGuards.ofFiles(files, allowHardLinks);
  }

  @Test
  void anOrdinaryFileMayBeChangedAndLookingChangesNothing() throws IOException {
    assertThat(guard(false, "a.safetensors")).isEmpty();
    assertThat(shard).hasBinaryContent(new byte[100]);
  }

  @Test
  void g1_hardLinksAreRefusedUnlessTheyAreMeant() throws IOException {
    Files.createLink(directory.resolve("other"), shard);
    assertThat(guard(false, "a.safetensors"))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.message())
                    .contains("2 hard links")
                    .contains("--allow-hard-links"));
    assertThat(guard(true, "a.safetensors")).isEmpty();
  }

  @Test
  void g2_aLinkThatLeadsOutIsRefusedAndOneInsideIsNot() throws IOException {
    Path outside = Files.write(directory.resolve("outside"), new byte[10]);
    Files.createSymbolicLink(checkpoint.resolve("out.safetensors"), outside);
    Files.createSymbolicLink(checkpoint.resolve("in.safetensors"), Path.of("a.safetensors"));
    assertThat(guard(false, "out.safetensors"))
        .singleElement()
        .returns("link-outside", Finding::code);
    assertThat(guard(false, "in.safetensors")).isEmpty();
  }

  @Test
  void g3_aReadOnlyFileIsRefusedAlsoForRoot() throws IOException {
    store.setMode(shard.toString(), 0444);
    assertThat(guard(false, "a.safetensors"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.message()).contains("0444").contains("chmod"));
  }

  @Test
  void g3_aFileThatCannotBeOpenedForWritingIsRefused() throws IOException {
    FileStatus status = store.stat(shard.toString()).orElseThrow();
    InPlaceCandidate unwritable =
        new InPlaceCandidate("a.safetensors", false, status, "Read-only file system.", "");
    assertThat(InPlaceGuards.ofFiles(List.of(unwritable), false))
        .singleElement()
        .satisfies(finding -> assertThat(finding.message()).contains("Read-only file system"));
  }

  @Test
  void g4_twoNamesOfOneFileAreRefused() throws IOException {
    Files.createSymbolicLink(checkpoint.resolve("in.safetensors"), Path.of("a.safetensors"));
    assertThat(guard(false, "a.safetensors", "in.safetensors"))
        .singleElement()
        .returns("same-file", Finding::code);
  }

  @Test
  void g5_storesWithoutOverwritingNameTheOtherWay() {
    Location hdfs = new Location("hdfs", "namenode:9000", "/model");
    assertThat(InPlaceGuards.ofStore(StoreTraits.HDFS, hdfs).orElseThrow().message())
        .contains("hdfs://namenode:9000/model")
        .contains("--output");
    assertThat(InPlaceGuards.ofStore(StoreTraits.OBJECT_STORE, hdfs)).isPresent();
    assertThat(InPlaceGuards.ofStore(StoreTraits.POSIX, hdfs)).isEmpty();
  }

  @Test
  void g6_aFileThatNoOtherCanReplaceIsRefused() throws IOException {
    FileStatus status = store.stat(shard.toString()).orElseThrow();
    InPlaceCandidate kept =
        new InPlaceCandidate("a.safetensors", false, status, "", "The directory is sticky.");
    assertThat(InPlaceGuards.ofFiles(List.of(kept), false))
        .singleElement()
        .returns("not-replaceable", Finding::code)
        .satisfies(
            finding ->
                assertThat(finding.message())
                    .contains("a.safetensors")
                    .contains("The directory is sticky.")
                    .contains("--output"));
  }

  @Test
  void g6_lookingAtAFileThatIsToBeReplacedLeavesNothing() throws IOException {
    Path ours = Files.createDirectory(checkpoint.resolve(".shardmend"));
    Files.writeString(ours.resolve("probe"), "left by a run that was killed");
    InPlaceCandidate file =
        InPlaceCandidate.replaced(store, checkpoint.toString(), "a.safetensors");
    assertThat(file.replaceFailure()).isEmpty();
    assertThat(ours).isEmptyDirectory();
    assertThat(shard).hasBinaryContent(new byte[100]);
  }

  /** A refusal is remembered by sweeps; a failure of storage is tried again. */
  @Test
  void g6_aFailureOfStorageIsNoRefusal() throws IOException {
    Files.createFile(checkpoint.resolve(".shardmend"));
    assertThatThrownBy(
            () -> InPlaceCandidate.replaced(store, checkpoint.toString(), "a.safetensors"))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(NotReplaceableException.class);
  }

  @Test
  void g6_rootMayReplaceTheFileOfAnotherInAStickyDirectory() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "needs files of several users");
    Files.createDirectory(checkpoint.resolve(".shardmend"));
    Files.setAttribute(checkpoint, "unix:mode", 01777);
    Files.setAttribute(checkpoint, "unix:uid", 2001);
    Files.setAttribute(shard, "unix:uid", 2002);
    String probe = checkpoint + "/.shardmend/probe";
    store.requireReplaceable(shard.toString(), probe);
  }

  @Test
  void g6_inAStickyDirectoryItsOwnerTheFilesOwnerAndRootReplaceAFile() {
    assertThat(LocalStore.mayMoveOver(01777, 2001, 2002, 2003)).isFalse();
    assertThat(LocalStore.mayMoveOver(01777, 2001, 2002, 2002)).isTrue();
    assertThat(LocalStore.mayMoveOver(01777, 2001, 2002, 2001)).isTrue();
    assertThat(LocalStore.mayMoveOver(01777, 2001, 2002, 0)).isTrue();
    assertThat(LocalStore.mayMoveOver(0777, 2001, 2002, 2003)).isTrue();
  }
}
