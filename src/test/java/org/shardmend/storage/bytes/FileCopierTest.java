package org.shardmend.storage.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

class FileCopierTest {
  @TempDir private Path top;
  private final Store store = new LocalStore();
  private final FileCopier copier = new FileCopier(Pace.unlimited());

  private String at(String name) {
    return top + "/" + name;
  }

  @Test
  void theBytesAndTheModeAreKept() throws IOException {
    byte[] content = new byte[3_000_001];
    new Random(1).nextBytes(content);
    Files.write(top.resolve("f"), content);
    // No usual umask leaves write access to everybody.
    store.setMode(at("f"), 0666);
    assertThat(copier.copy(store, at("f"), store, at("g"))).isEqualTo(content.length);
    assertThat(Files.readAllBytes(top.resolve("g"))).isEqualTo(content);
    assertThat(store.stat(at("g")).orElseThrow().permissions()).hasValue(0666);
  }

  @Test
  void aLinksTargetIsCopied() throws IOException {
    Files.writeString(top.resolve("f"), "content");
    Files.createSymbolicLink(top.resolve("l"), Path.of("f"));
    assertThat(copier.copy(store, at("l"), store, at("g"))).isEqualTo(7);
    assertThat(Files.isSymbolicLink(top.resolve("g"))).isFalse();
    assertThat(Files.readString(top.resolve("g"))).isEqualTo("content");
  }

  @Test
  void anEmptyFileStaysEmpty() throws IOException {
    Files.writeString(top.resolve("f"), "");
    assertThat(copier.copy(store, at("f"), store, at("g"))).isZero();
    assertThat(top.resolve("g")).isEmptyFile();
  }

  @Test
  void nothingIsOverwrittenAndNothingIsCopiedFromNowhere() throws IOException {
    Files.writeString(top.resolve("f"), "new");
    Files.writeString(top.resolve("g"), "old");
    assertThatThrownBy(() -> copier.copy(store, at("f"), store, at("g")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(Files.readString(top.resolve("g"))).isEqualTo("old");
    assertThatThrownBy(() -> copier.copy(store, at("absent"), store, at("h")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(top.resolve("h")).doesNotExist();
  }
}
