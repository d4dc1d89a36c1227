package org.shardmend.storage.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.shardmend.storage.LocalStore;
import org.shardmend.storage.Store;

/** Sentence N1 of {@code publish.md}. */
class NonceTest {
  @TempDir private Path directory;

  private final Store store = new LocalStore();

  @Test
  void n1_whoSeesTheSamePlacePasses() throws IOException {
    Nonce nonce = Nonce.write(store, directory.toString());
    nonce.check(store);
    nonce.remove(store);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void n1_whoSeesAnotherPlaceIsRefusedWithItsHost() throws IOException {
    Nonce nonce = Nonce.write(store, directory.toString());
    nonce.remove(store);
    assertThatThrownBy(() -> nonce.check(store, "worker7"))
        .isInstanceOf(NotSamePlaceException.class)
        .hasMessageContaining("worker7")
        .hasMessageContaining(directory.toString());
    Files.writeString(directory.resolve("nonce-" + nonce.value()), "another");
    assertThatThrownBy(() -> nonce.check(store, "worker7"))
        .isInstanceOf(NotSamePlaceException.class);
  }
}
