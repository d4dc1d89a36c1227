package org.shardmend.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sentences O4 and O5 of {@code publish.md}, on Hadoop's uploader for plain file systems. */
class MultipartUploadsTest {
  @TempDir private Path directory;

  private final Store store = new LocalStore();
  private FileSystem fileSystem;
  private MultipartUploads uploads;

  @BeforeEach
  void openUploads() throws IOException {
    fileSystem = new UploadingFileSystem();
    fileSystem.initialize(URI.create("file:///"), new Configuration(false));
    uploads = MultipartUploads.of(store, fileSystem, directory.toString()).orElseThrow();
  }

  /** Local files, with the uploads that Hadoop makes of parts and concatenation. */
  private static final class UploadingFileSystem extends RawLocalFileSystem {
    @Override
    public boolean hasPathCapability(org.apache.hadoop.fs.Path path, String capability)
        throws IOException {
      return capability.equals(CommonPathCapabilities.FS_MULTIPART_UPLOADER)
          || super.hasPathCapability(path, capability);
    }

    @Override
    public FileSystemMultipartUploaderBuilder createMultipartUploader(
        org.apache.hadoop.fs.Path base) {
      return new FileSystemMultipartUploaderBuilder(this, base);
    }
  }

  @AfterEach
  void closeUploads() throws IOException {
    uploads.close();
    fileSystem.close();
  }

  private static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private String path(String name) {
    return directory.resolve(name).toString();
  }

  /** As it travels from an executor to the driver. */
  private static PendingUpload travel(PendingUpload pending) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream output = new ObjectOutputStream(bytes)) {
      output.writeObject(pending);
    }
    try (ObjectInputStream input =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (PendingUpload) input.readObject();
    }
  }

  @Test
  void o4_aShardIsInvisibleUntilTheDriverCompletesIt() throws Exception {
    byte[] content = bytes(2 * PartWriter.MIN_PART_BYTES + 1000);
    String path = path("model %20 #a.safetensors");
    PendingUpload pending;
    try (PartWriter writer = uploads.start(path, content.length)) {
      writer.write(ByteBuffer.wrap(content, 0, 5));
      writer.write(ByteBuffer.wrap(content, 5, content.length - 5));
      assertThat(writer.position()).isEqualTo(content.length);
      assertThatThrownBy(writer::pending).isInstanceOf(IllegalStateException.class);
      writer.complete();
      pending = writer.pending();
    }
    assertThat(Path.of(path)).doesNotExist();
    assertThat(pending.parts()).hasSize(3);
    uploads.complete(travel(pending));
    assertThat(Path.of(path)).hasBinaryContent(content);
  }

  @Test
  void o4_aShardThatEndsWithAPartHasNoEmptyOne() throws Exception {
    try (PartWriter writer = uploads.start(path("a"), PartWriter.MIN_PART_BYTES)) {
      writer.write(ByteBuffer.wrap(bytes(PartWriter.MIN_PART_BYTES)));
      writer.complete();
      assertThat(writer.pending().parts()).hasSize(1);
    }
  }

  @Test
  void o5_aTaskThatFailsAbortsItsUpload() throws Exception {
    PartWriter writer = uploads.start(path("a"), 100);
    writer.write(ByteBuffer.wrap(bytes(100)));
    writer.close();
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
    assertThatThrownBy(() -> writer.write(ByteBuffer.wrap(bytes(1))))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void o5_theDriverAbortsWhatItDoesNotTake() throws Exception {
    try (PartWriter writer = uploads.start(path("a"), 100)) {
      writer.write(ByteBuffer.wrap(bytes(100)));
      writer.complete();
      uploads.abort(travel(writer.pending()));
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void partsGrowWithTheShardSoThatTheyAreNeverTooMany() {
    assertThat(PartWriter.partBytes(0)).isEqualTo(PartWriter.MIN_PART_BYTES);
    assertThat(PartWriter.partBytes(47L << 30)).isEqualTo(PartWriter.MIN_PART_BYTES);
    assertThat((500L << 30) / PartWriter.partBytes(500L << 30)).isLessThan(10_000);
    assertThatThrownBy(() -> PartWriter.partBytes(Long.MAX_VALUE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
