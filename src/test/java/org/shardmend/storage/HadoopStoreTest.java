package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.shardmend.checkpoint.FileEntry;

/** The promises of {@link Store}, on HDFS in this process. */
class HadoopStoreTest {
  private static final int BLOCK_BYTES = 1024 * 1024;

  @TempDir private static Path clusterDirectory;
  private static MiniDFSCluster cluster;
  private static Configuration configuration;

  private Store store;
  private String top;

  @BeforeAll
  static void startCluster() throws IOException {
    configuration = new Configuration();
    configuration.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, clusterDirectory.toString());
    configuration.setLong("dfs.blocksize", BLOCK_BYTES);
    cluster = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
    cluster.waitActive();
  }

  @AfterAll
  static void stopCluster() {
    cluster.shutdown();
  }

  @BeforeEach
  void makeDirectory(TestInfo test) throws IOException {
    Location root = Location.parse(cluster.getURI() + "/", "file:///");
    store = Stores.open(root, configuration);
    top = "/" + Integer.toHexString(test.getDisplayName().hashCode());
    store.deleteTree(top);
    store.makeDirectories(top);
  }

  private String at(String name) {
    return top + "/" + name;
  }

  private void write(String path, byte[] content) throws IOException {
    try (ShardWriter writer = store.create(path)) {
      writer.write(ByteBuffer.wrap(content));
      writer.sync();
      writer.complete();
    }
  }

  private byte[] read(String path) throws IOException {
    try (RangeReader reader = store.openForRead(path)) {
      ByteBuffer all = ByteBuffer.allocate((int) reader.size());
      reader.readFully(0, all);
      return all.array();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void hdfsRenamesAndSyncsButWritesNothingInPlace() {
    assertThat(store.traits()).isEqualTo(StoreTraits.HDFS);
    assertThatThrownBy(() -> store.writeAt(at("f"), 0, ByteBuffer.allocate(1)))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> store.link(at("f"), at("g")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> store.cloneFile(at("f"), at("g")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void hdfsByAnotherClientHoldsNoResult() throws IOException {
    for (String scheme : new String[] {"webhdfs", "swebhdfs"}) {
      Location web = Location.parse(scheme + "://localhost:1/x", "file:///");
      try (Store other = Stores.open(web, configuration)) {
        assertThat(other.traits()).isEqualTo(StoreTraits.READ_ONLY);
      }
    }
  }

  @Test
  void aPlaceBehindAMountIsThatInTheFileSystemMounted() throws IOException {
    Configuration mounted = new Configuration(configuration);
    mounted.set("fs.viewfs.mounttable.c.link./data", cluster.getURI() + top);
    mounted.set("fs.viewfs.mounttable.c.link./data2", "file:/elsewhere");
    Location view = Location.parse("viewfs://c/data/ckpt", "file:///");

    assertThat(MountTable.resolve(view, mounted)).isEqualTo(store.locate(at("ckpt")));
    assertThat(MountTable.resolve(view.parent(), mounted)).isEqualTo(store.locate(top));
    assertThat(MountTable.resolve(Location.parse("viewfs://c/data2/x", "file:///"), mounted))
        .isEqualTo(Location.ofFile("/elsewhere/x"));
    assertThatThrownBy(
            () -> MountTable.resolve(Location.parse("viewfs://c/other", "file:///"), mounted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("viewfs://c/other");
    assertThatThrownBy(() -> Stores.open(view, mounted)).hasMessageContaining("mount table");
  }

  @Test
  void nothingIsBelowAFile() throws IOException {
    write(at("f"), bytes("content"));

    assertThat(store.stat(at("f/below"))).isEmpty();
  }

  @Test
  void aCompletedFileIsWhatWasWritten() throws IOException {
    byte[] content = new byte[3 * BLOCK_BYTES + 17];
    new java.util.Random(7).nextBytes(content);
    ByteBuffer direct = ByteBuffer.allocateDirect(content.length).put(content).flip();
    try (ShardWriter writer = store.create(at("f"))) {
      writer.write(direct);
      writer.sync();
      assertThat(writer.position()).isEqualTo(content.length);
      writer.complete();
    }
    assertThat(read(at("f"))).isEqualTo(content);

    FileStatus status = store.stat(at("f")).orElseThrow();
    assertThat(status.kind()).isEqualTo(FileEntry.Kind.FILE);
    assertThat(status.bytes()).isEqualTo(content.length);
    assertThat(status.links()).isEqualTo(1);
    assertThat(status.fileKey()).isNotEmpty();
    assertThat(status.permissions()).isPresent();
  }

  @Test
  void rangesAreReadInAnyOrderIntoBuffersOfAnyKind() throws IOException {
    write(at("f"), bytes("0123456789"));
    try (RangeReader reader = store.openForRead(at("f"))) {
      ByteBuffer direct = ByteBuffer.allocateDirect(3);
      reader.readFully(6, direct);
      assertThat(StandardCharsets.UTF_8.decode(direct.flip()).toString()).isEqualTo("678");
      ByteBuffer heap = ByteBuffer.allocate(4);
      reader.readFully(1, heap);
      assertThat(StandardCharsets.UTF_8.decode(heap.flip()).toString()).isEqualTo("1234");
      assertThat(reader.read(10, ByteBuffer.allocate(1))).isEqualTo(-1);
      assertThatThrownBy(() -> reader.readFully(8, ByteBuffer.allocate(5)))
          .isInstanceOf(java.io.EOFException.class)
          .hasMessageContaining("byte 10")
          .hasMessageContaining(at("f"));
    }
  }

  @Test
  void aFileThatWasReplacedWhileItWasReadIsNoticed() throws IOException {
    write(at("f"), bytes("old"));
    write(at("g"), bytes("new"));
    try (RangeReader reader = store.openForRead(at("f"))) {
      reader.requireUnchanged();
      store.replace(at("g"), at("f"));
      assertThatThrownBy(reader::requireUnchanged).isInstanceOf(SourceChangedException.class);
      store.delete(at("f"));
      assertThatThrownBy(reader::requireUnchanged)
          .isInstanceOf(SourceChangedException.class)
          .hasMessageContaining("is gone");
    }
  }

  @Test
  void aWriterThatIsNotCompletedLeavesNothing() throws IOException {
    try (ShardWriter writer = store.create(at("f"))) {
      writer.write(ByteBuffer.wrap(new byte[BLOCK_BYTES + 1]));
      writer.sync();
    }
    assertThat(store.list(top)).isEmpty();
    write(at("f"), bytes("again"));
    assertThat(read(at("f"))).isEqualTo(bytes("again"));
  }

  @Test
  void aWriterIsAbortedInAnInterruptedThreadToo() throws IOException {
    ShardWriter writer = store.create(at("f"));
    writer.write(ByteBuffer.wrap(new byte[BLOCK_BYTES]));
    Thread.currentThread().interrupt();
    writer.abort();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.list(top)).isEmpty();
  }

  @Test
  void creatingFailsWhereAFileOrADirectoryIs() throws IOException {
    write(at("f"), bytes("old"));
    store.makeDirectories(at("d"));
    assertThatThrownBy(() -> store.create(at("f")))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining(at("f"));
    assertThatThrownBy(() -> store.create(at("d"))).isInstanceOf(FileAlreadyExistsException.class);
    assertThatThrownBy(() -> store.createExclusive(at("f"), bytes("new")))
        .isInstanceOf(FileAlreadyExistsException.class);
    assertThat(read(at("f"))).isEqualTo(bytes("old"));
    store.createExclusive(at("lock"), bytes("mine"));
    assertThat(read(at("lock"))).isEqualTo(bytes("mine"));
  }

  @Test
  void creatingMakesNoDirectories() {
    assertThatThrownBy(() -> store.create(at("absent/f"))).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void renamingFailsOntoAFileAndOntoADirectoryEvenAnEmptyOne() throws IOException {
    write(at("f"), bytes("f"));
    write(at("g"), bytes("g"));
    store.makeDirectories(at("out/inner"));
    store.makeDirectories(at("empty"));
    store.makeDirectories(at("full"));
    write(at("full/x"), bytes("x"));
    for (String from : List.of("f", "out")) {
      for (String to : List.of("g", "empty", "full")) {
        assertThatThrownBy(() -> store.rename(at(from), at(to)))
            .isInstanceOf(FileAlreadyExistsException.class)
            .hasMessageContaining(at(to));
      }
    }
    assertThat(store.list(at("empty"))).isEmpty();
    assertThat(store.list(at("full"))).extracting(FileStatus::name).containsExactly("x");

    store.rename(at("out"), at("target"));
    assertThat(store.list(at("target"))).extracting(FileStatus::name).containsExactly("inner");
    assertThat(store.stat(at("out"))).isEmpty();
    assertThatThrownBy(() -> store.rename(at("out"), at("other")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void replacingPutsOneFileInTheOthersPlace() throws IOException {
    write(at("f"), bytes("new"));
    write(at("g"), bytes("old"));
    store.replace(at("f"), at("g"));
    assertThat(read(at("g"))).isEqualTo(bytes("new"));
    assertThat(store.stat(at("f"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "with space",
        "%41",
        "a#b",
        "[x]*?{y}",
        "line\nbreak",
        "größe-模型",
        ".hidden",
        "a\\b",
        "+&;"
      })
  void namesAreTakenLiterally(String name) throws IOException {
    store.makeDirectories(at(name));
    write(at(name + "/" + name), bytes(name));
    assertThat(store.list(top)).extracting(FileStatus::name).containsExactly(name);
    assertThat(store.list(at(name)))
        .extracting(FileStatus::path)
        .containsExactly(at(name + "/" + name));
    assertThat(read(at(name + "/" + name))).isEqualTo(bytes(name));
  }

  @Test
  void aListingIsSortedAndTellsAFileFromADirectory() throws IOException {
    write(at("b"), bytes("1"));
    store.makeDirectories(at("a"));
    write(at("B"), bytes("2"));
    assertThat(store.list(top)).extracting(FileStatus::name).containsExactly("B", "a", "b");
    assertThatThrownBy(() -> store.list(at("b"))).isInstanceOf(NotDirectoryException.class);
    assertThatThrownBy(() -> store.list(at("c")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(at("c"));
  }

  @Test
  void aMissingFileIsAMissingFileEverywhere() {
    assertThatThrownBy(() -> store.openForRead(at("f"))).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store.delete(at("f"))).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> store.setMode(at("f"), 0600)).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void permissionBitsAreSet() throws IOException {
    write(at("f"), bytes("x"));
    store.setMode(at("f"), 0640);
    assertThat(store.stat(at("f")).orElseThrow().permissions()).hasValue(0640);
  }

  @Test
  void aFileIsBestReadWhereItsBlocksAre() throws IOException {
    write(at("f"), new byte[2 * BLOCK_BYTES]);
    assertThat(store.preferredHosts(at("f"))).hasSize(1);
  }

  @Test
  void freeSpaceIsWhatTheTightestQuotaLeaves() throws IOException {
    assertThat(store.freeBytes(at("not/yet/there")).orElseThrow()).isPositive();
    DistributedFileSystem hdfs = cluster.getFileSystem();
    store.makeDirectories(at("small/inner"));
    // A quota counts all copies.
    long quota = 8L * BLOCK_BYTES * hdfs.getDefaultReplication(new org.apache.hadoop.fs.Path("/"));
    hdfs.setQuota(new org.apache.hadoop.fs.Path(at("small")), Long.MAX_VALUE, quota);
    assertThat(store.freeBytes(at("small/inner/file"))).hasValue(8L * BLOCK_BYTES);
  }

  @Test
  void aUsedUpQuotaIsNoSpace() throws IOException {
    DistributedFileSystem hdfs = cluster.getFileSystem();
    store.makeDirectories(at("full"));
    hdfs.setQuota(new org.apache.hadoop.fs.Path(at("full")), Long.MAX_VALUE, 1);
    assertThatThrownBy(() -> write(at("full/f"), new byte[BLOCK_BYTES]))
        .isInstanceOfSatisfying(
            NoSpaceException.class, full -> assertThat(full.freeBytes()).hasValue(1))
        .hasMessageContaining(at("full/f"));
    assertThat(store.list(at("full"))).isEmpty();
  }

  @Test
  void settingsTravelAndShowNothing() throws Exception {
    Configuration secret = new Configuration(configuration);
    secret.set("fs.s3a.secret.key", "hunter2");
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(sent)) {
      out.writeObject(HadoopSettings.of(secret));
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(sent.toByteArray()))) {
      HadoopSettings received = (HadoopSettings) in.readObject();
      assertThat(received.configuration().get("fs.s3a.secret.key")).isEqualTo("hunter2");
      assertThat(received.configuration().get("fs.defaultFS"))
          .isEqualTo(configuration.get("fs.defaultFS"));
      assertThat(received).hasToString("HadoopSettings");
    }
  }

  @Test
  void anUnknownSchemeAndAKeyInALocationAreRefusedWithoutShowingIt() {
    assertThatThrownBy(() -> Stores.open(Location.parse("nosuch://b/x", "file:///"), configuration))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nosuch://b/");
    assertThatThrownBy(
            () -> Stores.open(Location.parse("s3a://key:secret@b/x", "file:///"), configuration))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("s3a://b/")
        .hasMessageNotContaining("secret@")
        .hasMessageNotContaining("key:");
  }
}
