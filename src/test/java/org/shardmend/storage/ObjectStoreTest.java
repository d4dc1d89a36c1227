package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.shardmend.storage.bytes.FileCopier;
import org.shardmend.storage.bytes.Pace;
import org.shardmend.storage.publish.ShardIntake;
import org.shardmend.storage.publish.Staging;
import org.shardmend.storage.publish.StreamedShards;

/** The promises of {@link Store}, on what Hadoop shows of an object store. */
class ObjectStoreTest {
  private static final AtomicInteger BUCKETS = new AtomicInteger();

  private MemoryObjectStore objects;
  private Store store;

  @BeforeEach
  void open() throws IOException {
    Configuration configuration = new Configuration();
    configuration.setClass("fs.memory.impl", MemoryObjectStore.class, FileSystem.class);
    // Hadoop keeps a file system for each name: a new name is an empty store.
    String bucket = "memory://bucket-%d/".formatted(BUCKETS.incrementAndGet());
    objects = (MemoryObjectStore) FileSystem.get(URI.create(bucket), configuration);
    store = Stores.open(Location.parse(bucket, "file:///"), configuration);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private String read(String path) throws IOException {
    try (RangeReader reader = store.openForRead(path)) {
      ByteBuffer all = ByteBuffer.allocateDirect((int) reader.size());
      reader.readFully(0, all);
      reader.requireUnchanged();
      return StandardCharsets.UTF_8.decode(all.flip()).toString();
    }
  }

  @Test
  void nothingIsMovedOrWrittenInPlace() {
    assertThat(store.traits()).isEqualTo(StoreTraits.OBJECT_STORE);
    assertThatThrownBy(() -> store.rename("/a", "/b"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> store.replace("/a", "/b"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> store.writeAt("/a", 0, bytes("x")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  /** As a task does that was given up, and was frozen for longer than the rest took. */
  @Test
  void anAttemptThatClosesItsStreamLateFindsTheShardsNameTaken() throws IOException {
    Staging staging = Staging.of(store, "/out", "arguments", "fingerprint");
    try (ShardIntake intake = ShardIntake.of(store, staging);
        ShardWriter frozen = intake.start(0, 1, "shard", 6)) {
      assertThat(intake).isInstanceOf(StreamedShards.class);
      frozen.write(bytes("frozen"));
      for (long attempt = 2; attempt <= 3; attempt++) {
        try (ShardWriter living = intake.start(0, attempt, "shard", 6)) {
          living.write(bytes("living"));
          living.complete();
        }
      }

      assertThatThrownBy(frozen::complete).isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThat(read("/out/shard")).isEqualTo("living");
  }

  @Test
  void aFileAppearsWhenItIsCompleted() throws IOException {
    try (ShardWriter writer = store.create("/dir/f")) {
      writer.write(bytes("content"));
      writer.sync();
      assertThat(store.stat("/dir/f")).isEmpty();
      writer.complete();
    }
    assertThat(read("/dir/f")).isEqualTo("content");
    assertThat(store.list("/dir")).extracting(FileStatus::path).containsExactly("/dir/f");
    assertThat(objects.aborted()).isZero();
  }

  @Test
  void aStreamThatFailedIsAbortedAndNeverClosed() {
    assertThatThrownBy(
            () -> {
              try (ShardWriter writer = store.create("/f")) {
                writer.write(bytes("half"));
                throw new IllegalStateException("midway");
              }
            })
        .isInstanceOf(IllegalStateException.class);
    assertThat(objects.aborted()).isEqualTo(1);
    assertThatThrownBy(() -> store.list("/")).isInstanceOf(IOException.class);
  }

  @Test
  void ofTwoWritersOneCompletes() throws IOException {
    try (ShardWriter first = store.create("/f");
        ShardWriter second = store.create("/f")) {
      first.write(bytes("first"));
      second.write(bytes("second"));
      first.complete();
      assertThatThrownBy(second::complete)
          .isInstanceOf(FileAlreadyExistsException.class)
          .hasMessageContaining(store.locate("/f").toString());
    }
    assertThat(read("/f")).isEqualTo("first");
    assertThatThrownBy(() -> store.create("/f")).isInstanceOf(FileAlreadyExistsException.class);
  }

  @Test
  void anExclusiveFileOfAnotherIsKept() throws IOException {
    objects.put("/lock", "theirs".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(
            () -> store.createExclusive("/lock", "mine".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read("/lock")).isEqualTo("theirs");
  }

  @Test
  void ofTwoCallersOneGetsTheExclusiveFileAndARepeatedRequestIsNotAStranger() throws IOException {
    objects.beforeNextClose(() -> objects.put("/lock", bytes("theirs").array()));
    assertThatThrownBy(() -> store.createExclusive("/lock", bytes("mine").array()))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read("/lock")).isEqualTo("theirs");

    objects.beforeNextClose(() -> objects.put("/other", bytes("mine").array()));
    store.createExclusive("/other", bytes("mine").array());
    assertThat(read("/other")).isEqualTo("mine");
  }

  @Test
  void anObjectThatHasBecomeShorterIsNoticed() throws IOException {
    objects.put("/f", new byte[100]);
    try (RangeReader reader = store.openForRead("/f")) {
      objects.put("/f", new byte[10]);
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("had 100 bytes and now has 10");
    }
  }

  @Test
  void aStatusHasWholeSecondsAndNoMode() throws IOException {
    objects.put("/f", new byte[3]);
    FileStatus status = store.stat("/f").orElseThrow();
    assertThat(status.modifiedMillis()).isEqualTo(1_000_000_000L);
    assertThat(status.permissions()).isEmpty();
    assertThat(store.freeBytes("/f")).isEmpty();
    assertThat(store.preferredHosts("/f")).isEqualTo(List.of());
  }

  @Test
  void filesOfOneStoreAreCopiedToAnother() throws IOException {
    objects.put("/f", "content".getBytes(StandardCharsets.UTF_8));
    assertThat(new FileCopier(Pace.unlimited()).copy(store, "/f", store, "/g")).isEqualTo(7);
    assertThat(read("/g")).isEqualTo("content");
  }
}
