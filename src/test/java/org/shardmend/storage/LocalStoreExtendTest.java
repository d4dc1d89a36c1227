package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalStoreExtendTest {
  private final LocalStore store = new LocalStore();

  @TempDir private Path directory;

  @Test
  void whatIsAddedReadsAsZerosBehindWhatWasThere() throws IOException {
    Path file = Files.write(directory.resolve("f"), new byte[] {1, 2});
    store.extend(file.toString(), 6);
    assertThat(Files.readAllBytes(file)).containsExactly(1, 2, 0, 0, 0, 0);
  }

  @Test
  void aFileIsNeverMadeShorter() throws IOException {
    Path file = Files.write(directory.resolve("f"), new byte[] {1, 2});
    assertThatThrownBy(() -> store.extend(file.toString(), 2))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll("extend", file.toString(), "2 bytes");
    assertThat(Files.readAllBytes(file)).containsExactly(1, 2);
  }

  @Test
  void nothingIsCreated() {
    Path absent = directory.resolve("absent");
    assertThatThrownBy(() -> store.extend(absent.toString(), 5))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(absent.toString());
    assertThat(absent).doesNotExist();
  }
}
