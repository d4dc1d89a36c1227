package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.FileEntry;

/** The promises of {@link Store}, on what is mounted. */
@Timeout(60)
class LocalStoreTest {
  @TempDir private Path top;
  private Store store;

  @BeforeEach
  void open() throws IOException {
    store = Stores.open(Location.ofFile(top.toString()), new Configuration(false));
  }

  private String at(String name) {
    return top + "/" + name;
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(top.resolve(name), content);
  }

  private String read(String name) throws IOException {
    return Files.readString(top.resolve(name));
  }

  private List<String> names() throws IOException {
    return store.list(top.toString()).stream().map(FileStatus::name).toList();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private void makePipe(String name) throws Exception {
    assertThat(new ProcessBuilder("mkfifo", at(name)).start().waitFor()).isZero();
  }

  // --- writing ---

  @Test
  void aCompletedFileIsWhatWasWrittenAndHasNoCompanion() throws IOException {
    try (ShardWriter writer = store.create(at("f"))) {
      writer.write(bytes("01234"));
      writer.write(ByteBuffer.allocateDirect(2).put((byte) '5').put((byte) '6').flip());
      assertThat(writer.position()).isEqualTo(7);
      writer.sync();
      writer.complete();
    }
    assertThat(read("f")).isEqualTo("0123456");
    try (var entries = Files.list(top)) {
      assertThat(entries).containsExactly(top.resolve("f"));
    }
  }

  @Test
  void aWriterThatIsNotCompletedLeavesNothing() throws IOException {
    assertThatThrownBy(
            () -> {
              try (ShardWriter writer = store.create(at("f"))) {
                writer.write(bytes("half"));
                throw new IllegalStateException("midway");
              }
            })
        .isInstanceOf(IllegalStateException.class);
    assertThat(names()).isEmpty();
  }

  @Test
  void anAbortAfterTheCompletionChangesNothing() throws IOException {
    try (ShardWriter writer = store.create(at("f"))) {
      writer.complete();
      writer.abort();
    }
    assertThat(names()).containsExactly("f");
  }

  @Test
  void anInterruptEndsTheWritingAndLeavesNothing() throws IOException {
    try (ShardWriter writer = store.create(at("f"))) {
      writer.write(bytes("half"));
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> writer.write(bytes("more")))
          .isInstanceOf(ClosedByInterruptException.class);
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(names()).isEmpty();
  }

  @Test
  void creatingFailsWhereAnythingIs() throws IOException {
    write("f", "old");
    Files.createDirectory(top.resolve("d"));
    Files.createSymbolicLink(top.resolve("dangling"), Path.of("absent"));
    for (String name : List.of("f", "d", "dangling")) {
      assertThatThrownBy(() -> store.create(at(name)))
          .isInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContaining("file:" + at(name));
      assertThatThrownBy(() -> store.createExclusive(at(name), new byte[1]))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(read("f")).isEqualTo("old");
    store.createExclusive(at("lock"), "mine".getBytes(StandardCharsets.UTF_8));
    assertThat(read("lock")).isEqualTo("mine");
  }

  @Test
  void creatingMakesNoDirectories() {
    assertThatThrownBy(() -> store.create(at("absent/f"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void bytesAreOverwrittenWhereTheyAre() throws IOException {
    write("f", "0123456789");
    store.writeAt(at("f"), 3, bytes("abc"));
    store.writeAt(at("f"), 8, bytes("yz"));
    store.sync(at("f"));
    assertThat(read("f")).isEqualTo("012abc67yz");
  }

  @Test
  void overwritingNeitherExtendsNorCreates() throws IOException {
    write("f", "0123");
    assertThatThrownBy(() -> store.writeAt(at("f"), 2, bytes("abc")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("bytes 2 to 5")
        .hasMessageContaining(at("f"));
    assertThat(read("f")).isEqualTo("0123");
    assertThatThrownBy(() -> store.writeAt(at("g"), 0, bytes("abc")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(names()).containsExactly("f");
  }

  @Test
  void aFullDeviceIsNoSpace() throws Exception {
    assertThatThrownBy(() -> store.writeAt("/dev/full", 0, bytes("x")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a regular file");
    // The device answers as a full file system does.
    try (var full =
        new LocalShardWriter(
            Location.ofFile("/x"),
            top.resolve("x"),
            java.nio.channels.FileChannel.open(
                Path.of("/dev/full"), java.nio.file.StandardOpenOption.WRITE),
            java.util.Optional.empty(),
            () -> java.util.OptionalLong.of(5))) {
      assertThatThrownBy(() -> full.write(bytes("0123456789")))
          .isInstanceOfSatisfying(
              NoSpaceException.class,
              failure -> {
                assertThat(failure.neededBytes()).isEqualTo(10);
                assertThat(failure.freeBytes()).hasValue(5);
              })
          .hasMessageContaining("file:/x");
    }
  }

  @Test
  void syncingFilesAndDirectoriesWorksAndAMissingOneIsSaid() throws IOException {
    write("f", "x");
    store.sync(at("f"));
    store.syncDirectory(top.toString());
    assertThatThrownBy(() -> store.sync(at("g"))).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store.syncDirectory(at("g"))).isInstanceOf(NoSuchFileException.class);
  }

  // --- reading ---

  @Test
  void rangesAreReadInAnyOrder() throws IOException {
    write("f", "0123456789");
    try (RangeReader reader = store.openForRead(at("f"))) {
      assertThat(reader.size()).isEqualTo(10);
      ByteBuffer three = ByteBuffer.allocate(3);
      reader.readFully(6, three);
      assertThat(three.array()).isEqualTo(bytes("678").array());
      reader.readFully(1, three.clear());
      assertThat(three.array()).isEqualTo(bytes("123").array());
      assertThat(reader.read(10, ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThatThrownBy(() -> reader.readFully(8, ByteBuffer.allocate(5)))
          .isInstanceOf(EOFException.class)
          .hasMessageContaining("byte 10")
          .hasMessageContaining(at("f"));
    }
  }

  @Test
  void aFileThatWasCutTouchedOrReplacedWhileItWasReadIsNoticed() throws IOException {
    write("f", "0123456789");
    try (RangeReader reader = store.openForRead(at("f"))) {
      reader.requireUnchanged();
      FileTime written = Files.getLastModifiedTime(top.resolve("f"));

      Files.setLastModifiedTime(
          top.resolve("f"), FileTime.from(written.toInstant().plus(Duration.ofSeconds(1))));
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("last written");

      write("f", "0123");
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("had 10 bytes and now has 4");

      write("g", "9876543210");
      Files.setLastModifiedTime(top.resolve("g"), written);
      store.replace(at("g"), at("f"));
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("replaced");

      store.delete(at("f"));
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("is gone");
    }
  }

  @Test
  void aLinkIsReadThroughAndADirectoryIsNotRead() throws IOException {
    write("f", "content");
    Files.createSymbolicLink(top.resolve("l"), Path.of("f"));
    try (RangeReader reader = store.openForRead(at("l"))) {
      assertThat(reader.size()).isEqualTo(7);
      reader.requireUnchanged();
    }
    assertThatThrownBy(() -> store.openForRead(top.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("not a regular file");
    assertThatThrownBy(() -> store.openForRead(at("absent")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aPipeIsListedAndNeverOpened() throws Exception {
    makePipe("p");
    Files.createSymbolicLink(top.resolve("l"), Path.of("p"));
    assertThat(store.list(top.toString()))
        .extracting(FileStatus::kind)
        .containsExactly(FileEntry.Kind.SYMLINK, FileEntry.Kind.OTHER);
    assertThatThrownBy(() -> store.openForRead(at("p"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> store.openForRead(at("l"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> store.writeAt(at("p"), 0, bytes("x"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> store.sync(at("p"))).isInstanceOf(IOException.class);
  }

  // --- looking ---

  @Test
  void aStatusSaysWhatAFileIs() throws IOException {
    write("f", "0123");
    store.setMode(at("f"), 0751);
    FileStatus status = store.stat(at("f")).orElseThrow();
    assertThat(status.kind()).isEqualTo(FileEntry.Kind.FILE);
    assertThat(status.bytes()).isEqualTo(4);
    assertThat(status.permissions()).hasValue(0751);
    assertThat(status.links()).isEqualTo(1);
    assertThat(status.modifiedMillis())
        .isEqualTo(Files.getLastModifiedTime(top.resolve("f")).toMillis());
    assertThat(store.stat(at("absent"))).isEmpty();
    assertThat(store.stat(at("f/below"))).isEmpty();

    store.link(at("f"), at("g"));
    FileStatus linked = store.stat(at("g")).orElseThrow();
    assertThat(linked.links()).isEqualTo(2);
    assertThat(linked.fileKey()).isEqualTo(status.fileKey());
  }

  @Test
  void aLinkIsALinkWhereverItLeads() throws IOException {
    Files.createSymbolicLink(top.resolve("dangling"), Path.of("absent"));
    Files.createSymbolicLink(top.resolve("up"), Path.of(".."));
    Files.createSymbolicLink(top.resolve("circle"), Path.of("circle"));
    assertThat(store.list(top.toString()))
        .extracting(FileStatus::kind)
        .containsOnly(FileEntry.Kind.SYMLINK)
        .hasSize(3);
    assertThatThrownBy(() -> store.realPath(at("dangling")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store.realPath(at("circle"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void theRealPathHasNoLinksEvenOfWhatDoesNotExistYet() throws IOException {
    Files.createDirectories(top.resolve("real/dir"));
    Files.createSymbolicLink(top.resolve("alias"), Path.of("real"));
    String real = top.toRealPath().toString();
    assertThat(store.realPath(at("alias/dir"))).isEqualTo(real + "/real/dir");
    assertThat(store.realPath(at("alias/new/deeper"))).isEqualTo(real + "/real/new/deeper");
  }

  @Test
  void aListingIsSortedAndTellsAFileFromADirectory() throws IOException {
    write("b", "");
    write("B", "");
    Files.createDirectory(top.resolve("a"));
    assertThat(names()).containsExactly("B", "a", "b");
    assertThatThrownBy(() -> store.list(at("b"))).isInstanceOf(NotDirectoryException.class);
    assertThatThrownBy(() -> store.list(at("c"))).isInstanceOf(NoSuchFileException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with space",
        "%41",
        "a#b",
        "[x]*?{y}",
        "line\nbreak",
        "a:b",
        "größe-模型",
        ".hidden",
        "a\\b",
        "-rf",
        "~"
      })
  void namesAreTakenLiterally(String name) throws IOException {
    store.makeDirectories(at(name));
    try (ShardWriter writer = store.create(at(name + "/" + name))) {
      writer.write(bytes(name));
      writer.complete();
    }
    assertThat(names()).containsExactly(name);
    assertThat(store.list(at(name)))
        .extracting(FileStatus::path)
        .containsExactly(at(name + "/" + name));
    store.rename(at(name), at("x" + name));
    assertThat(read("x" + name + "/" + name)).isEqualTo(name);
  }

  @Test
  void aNameThatIsNoTextIsRefusedNotMangled() throws Exception {
    // Byte 0xFF occurs in no UTF-8 text.
    assertThat(
            new ProcessBuilder("bash", "-c", "touch \"$1\"/$'\\xff'", "bash", top.toString())
                .start()
                .waitFor())
        .isZero();
    assertThatThrownBy(() -> store.list(top.toString()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("LC_ALL");
  }

  // --- names ---

  @Test
  void renamingFailsOntoAnythingEvenAnEmptyDirectory() throws IOException {
    write("f", "f");
    Files.createDirectories(top.resolve("out/inner"));
    write("g", "g");
    Files.createDirectory(top.resolve("empty"));
    Files.createDirectories(top.resolve("full/x"));
    Files.createSymbolicLink(top.resolve("dangling"), Path.of("absent"));
    for (String from : List.of("f", "out")) {
      for (String to : List.of("g", "empty", "full", "dangling")) {
        assertThatThrownBy(() -> store.rename(at(from), at(to)))
            .isInstanceOf(FileAlreadyExistsException.class)
            .hasMessageContaining(at(to));
      }
    }
    assertThat(names()).containsExactly("dangling", "empty", "f", "full", "g", "out");

    store.rename(at("out"), at("target"));
    assertThat(store.stat(at("target/inner"))).isPresent();
    assertThatThrownBy(() -> store.rename(at("out"), at("other")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(at("out"));
    assertThatThrownBy(() -> store.rename(at("f"), at("absent/f")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(at("absent/f"));
  }

  @Test
  void replacingPutsOneFileInTheOthersPlace() throws IOException {
    write("f", "new");
    write("g", "old");
    store.replace(at("f"), at("g"));
    assertThat(names()).containsExactly("g");
    assertThat(read("g")).isEqualTo("new");
    Files.createDirectory(top.resolve("d"));
    assertThatThrownBy(() -> store.replace(at("g"), at("d"))).isInstanceOf(IOException.class);
  }

  @Test
  void linkingFailsOntoAnything() throws IOException {
    write("f", "f");
    write("g", "g");
    assertThatThrownBy(() -> store.link(at("f"), at("g")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> store.link(at("absent"), at("h")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aCloneIsTheSameBytesOrSaysWhyNotAndLeavesNothing() throws IOException {
    write("f", "content");
    try {
      store.cloneFile(at("f"), at("-g"));
      assertThat(read("-g")).isEqualTo("content");
    } catch (CloneUnsupportedException unsupported) {
      assertThat(unsupported).hasMessageContaining(at("f")).hasMessageContaining("cp:");
      assertThat(names()).containsExactly("f");
    }
    write("h", "old");
    assertThatThrownBy(() -> store.cloneFile(at("f"), at("h")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read("h")).isEqualTo("old");
  }

  @Test
  void removingATreeFollowsNoLink() throws IOException {
    Files.createDirectories(top.resolve("tree/deep/deeper"));
    Files.createDirectory(top.resolve("elsewhere"));
    write("elsewhere/precious", "x");
    Files.createSymbolicLink(top.resolve("tree/deep/link"), top.resolve("elsewhere"));
    store.deleteTree(at("tree"));
    store.deleteTree(at("tree"));
    assertThat(names()).containsExactly("elsewhere");
    assertThat(read("elsewhere/precious")).isEqualTo("x");
    assertThatThrownBy(() -> store.deleteTree("/")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.delete(at("elsewhere"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> store.delete(at("absent"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void makingDirectoriesTwiceIsFineAndOverAFileIsNot() throws IOException {
    store.makeDirectories(at("a/b/c"));
    store.makeDirectories(at("a/b/c"));
    write("f", "");
    assertThatThrownBy(() -> store.makeDirectories(at("f"))).isInstanceOf(IOException.class);
  }

  @Test
  void freeSpaceIsKnownWhereNothingIsYet() throws IOException {
    assertThat(store.freeBytes(at("not/yet/there")).orElseThrow()).isPositive();
    assertThat(store.preferredHosts(at("f"))).isEmpty();
  }

  @Test
  void aRelativePathIsAMistakeOfTheCaller() {
    assertThatThrownBy(() -> store.stat("f")).isInstanceOf(IllegalArgumentException.class);
  }
}
