package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.checkpoint.CheckpointFiles;
import org.shardmend.checkpoint.FileEntry;
import org.shardmend.checkpoint.FileStamp;

class StoreCheckpointFilesTest {
  @TempDir private Path top;
  private CheckpointFiles files;

  @BeforeEach
  void open() {
    files = new StoreCheckpointFiles(new LocalStore(), Location.ofFile(top.toString()));
  }

  @Test
  void entriesAreNamedRelativeToTheCheckpoint() throws IOException {
    Files.createDirectories(top.resolve("sub"));
    Files.writeString(top.resolve("sub/f"), "0123");
    assertThat(files.location()).isEqualTo("file:" + top);
    assertThat(files.list("")).extracting(FileEntry::name).containsExactly("sub");
    FileStamp stamp = new LocalStore().stat(top + "/sub/f").orElseThrow().stamp();
    assertThat(stamp.modifiedMillis())
        .isEqualTo(Files.getLastModifiedTime(top.resolve("sub/f")).toMillis());
    assertThat(files.list("sub"))
        .containsExactly(new FileEntry("sub/f", FileEntry.Kind.FILE, 4, stamp));
    assertThatThrownBy(() -> files.list("absent")).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aLinkHasTheLengthOfTheFileItLeadsTo() throws IOException {
    Files.writeString(top.resolve("f"), "0123456789");
    Files.createSymbolicLink(top.resolve("a"), Path.of("f"));
    Files.createSymbolicLink(top.resolve("b"), Path.of("absent"));
    Files.createSymbolicLink(top.resolve("c"), Path.of("."));
    Files.createSymbolicLink(top.resolve("d"), Path.of("d"));
    assertThat(files.list(""))
        .extracting(FileEntry::bytes)
        .containsExactly(
            10L, FileEntry.UNKNOWN_BYTES, FileEntry.UNKNOWN_BYTES, FileEntry.UNKNOWN_BYTES, 10L);
    assertThat(files.readPrefix("a", 3)).isEqualTo(new byte[] {'0', '1', '2'});
  }

  @Test
  void aPrefixIsShorterWhereTheFileIs() throws IOException {
    Files.writeString(top.resolve("f"), "0123");
    Files.writeString(top.resolve("empty"), "");
    assertThat(files.readPrefix("f", 2)).isEqualTo(new byte[] {'0', '1'});
    assertThat(files.readPrefix("f", 100)).hasSize(4);
    assertThat(files.readPrefix("empty", 100)).isEmpty();
    assertThat(files.read("f", 1, 2)).isEqualTo(new byte[] {'1', '2'});
    assertThatThrownBy(() -> files.read("f", 1, 4)).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> files.readPrefix("absent", 1)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void aNameThatLeadsOutIsRefused() {
    assertThatThrownBy(() -> files.readPrefix("../f", 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
