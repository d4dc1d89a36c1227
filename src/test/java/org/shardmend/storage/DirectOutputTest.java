package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files written past the page cache, alone and as the store's writer uses them. */
class DirectOutputTest {
  private static final int BUFFER = DirectOutput.BUFFER_BYTES;

  @TempDir private Path directory;
  private final Store store = new LocalStore();

  private static byte[] random(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  /** Lengths about the ends of blocks and buffers, in pieces that divide none of them. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        511,
        4096,
        4097,
        BUFFER - 1,
        BUFFER,
        BUFFER + 1,
        2 * BUFFER,
        3 * BUFFER + 4096 + 5
      })
  void aFileOfAnyLengthHoldsWhatWasWritten(int bytes) throws IOException {
    byte[] content = random(bytes);
    Path file = directory.resolve("file");

    try (ShardWriter writer = store.create(file.toString(), DirectOutput.WORTHWHILE_BYTES)) {
      for (int at = 0; at < bytes; at += 100_003) {
        writer.write(ByteBuffer.wrap(content, at, Math.min(100_003, bytes - at)));
        assertThat(writer.position()).isEqualTo(Math.min(bytes, at + 100_003));
      }
      writer.sync();
      writer.complete();
    }

    assertThat(Arrays.equals(Files.readAllBytes(file), content)).isTrue();
  }

  @Test
  void whatTheKernelCopiesFollowsWhatWasWritten() throws IOException {
    byte[] content = random(2 * BUFFER + 77);
    Path source = Files.write(directory.resolve("source"), content);
    Path file = directory.resolve("file");

    try (RangeReader reader = store.openForRead(source.toString());
        ShardWriter writer = store.create(file.toString(), DirectOutput.WORTHWHILE_BYTES)) {
      writer.write(ByteBuffer.wrap(content, 0, BUFFER + 7));
      for (long at = BUFFER + 7; at < content.length; ) {
        at += writer.transferFrom(reader, at, content.length - at);
      }
      assertThat(writer.position()).isEqualTo(content.length);
      writer.complete();
    }

    assertThat(Arrays.equals(Files.readAllBytes(file), content)).isTrue();
  }

  @Test
  void aFileThatIsGivenUpIsGone() throws IOException {
    Path file = directory.resolve("file");
    try (ShardWriter writer = store.create(file.toString(), DirectOutput.WORTHWHILE_BYTES)) {
      writer.write(ByteBuffer.wrap(random(3 * BUFFER)));
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void anInterruptEndsTheWriting() throws IOException {
    Path file = directory.resolve("file");
    try (ShardWriter writer = store.create(file.toString(), DirectOutput.WORTHWHILE_BYTES)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> writer.write(ByteBuffer.wrap(random(5 * BUFFER))))
          .isInstanceOf(ClosedByInterruptException.class);
    }
    assertThat(Thread.interrupted()).isTrue();
    assertThat(file).doesNotExist();
  }

  /** What was written so is not in the page cache, so the length tells how much the medium has. */
  @Test
  void wholeBuffersAreOnTheMediumBeforeTheFileIsSynced() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Optional<DirectOutput> output = DirectOutput.open(file);
    assumeTrue(output.isPresent(), "The file system can be written past the page cache");

    try (DirectOutput direct = output.get()) {
      direct.write(ByteBuffer.wrap(random(2 * BUFFER + 10)));
      ByteBuffer rest = direct.finish();
      assertThat(rest.remaining()).isEqualTo(10);
      assertThat(direct.pending()).isEqualTo(10);
      assertThat(direct.written()).isEqualTo(2L * BUFFER);
      assertThat(Files.size(file)).isEqualTo(2L * BUFFER);
    }
  }

  /** The buffers of very many tasks would not fit into memory. */
  @Test
  void whenManyAreOpenTheNextIsLeftToTheUsualWay() throws IOException {
    List<DirectOutput> open = new ArrayList<>();
    for (int i = 0; open.size() == i && i < 10_000; i++) {
      DirectOutput.open(Files.createFile(directory.resolve("file-" + i))).ifPresent(open::add);
    }
    long most = Runtime.getRuntime().maxMemory() / 8 / (2 * BUFFER);
    for (DirectOutput output : open) {
      output.close();
    }

    assertThat(open.size()).isLessThanOrEqualTo((int) most);
    if (!open.isEmpty()) {
      try (DirectOutput again =
          DirectOutput.open(Files.createFile(directory.resolve("again"))).orElseThrow()) {
        assertThat(again.written()).isZero();
      }
    }
  }

  @Test
  void aFileThatCannotBeOpenedThisWayIsLeftToTheUsualOne() throws IOException {
    assertThat(DirectOutput.open(Files.createDirectory(directory.resolve("directory")))).isEmpty();
    assertThat(DirectOutput.open(directory.resolve("absent"))).isEmpty();
  }
}
